"""Let guests comment on the notices of a shared list, and refuse what they write through a link that has ended or allows no comments.

Guests see no links, so a function looks at the one through which they write: as the installation, and at no other.
"""

from alembic import op

revision = "0080"
down_revision = "0079"


def upgrade() -> None:
    op.drop_constraint(op.f("ck_share_link_comments"), "share_link")
    op.drop_constraint("fk_comment_share_id_share_link", "comment")
    op.drop_constraint("uq_share_link_id_owner_id_draft_id", "share_link")
    op.create_unique_constraint("uq_share_link_id_owner_id", "share_link", ["id", "owner_id"])
    op.create_foreign_key(
        "fk_comment_share_id_share_link",
        "comment",
        "share_link",
        ["share_id", "owner_id"],
        ["id", "owner_id"],
        ondelete="CASCADE",
    )
    op.execute(
        """
        CREATE FUNCTION acting_share_takes(owner uuid, kind text, subject uuid) RETURNS boolean LANGUAGE plpgsql AS $$
        DECLARE
          before text := coalesce(current_setting('app.is_installation', true), '');
          takes boolean;
        BEGIN
          PERFORM set_config('app.is_installation', 'on', true);
          SELECT EXISTS (
            SELECT FROM share_link WHERE id = acting_share() AND owner_id = owner AND allows_comments
            AND ended_at IS NULL AND created_by IS NOT NULL AND expires_at > now()
            AND CASE WHEN draft_id IS NULL THEN kind = 'opportunity' ELSE kind = 'draft' AND subject = draft_id END) INTO takes;
          PERFORM set_config('app.is_installation', before, true);
          RETURN takes;
        END $$
        """
    )
    op.execute("DROP POLICY guest_writes ON comment")
    op.execute(
        "CREATE POLICY guest_writes ON comment FOR INSERT WITH CHECK "
        "(share_id = (SELECT acting_share()) AND is_guest AND acting_share_takes(owner_id, subject_kind, subject_id))"
    )
