"""Let workspaces own draft templates, and drafts keep a copy of the template's sections.

Drafts of the included templates get the questions of these templates; sections of others are written by their headings, as sections that
people add are."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0078"
down_revision = "0077"

_ROWS = "owner_id = (SELECT acting_workspace()) OR owner_id IS NULL AND is_in_trash(trash_id) OR (SELECT is_installation())"
_PARTNERS = [
    "partner with",
    "partners with",
    "partnered with",
    "partnership with",
    "partnerships with",
    "collaborate with",
    "collaborates with",
    "collaborated with",
    "collaborating with",
    "collaboration with",
    "collaborations with",
    "collaborative with",
    "collaborator with",
    "collaborators with",
    "collaboratively with",
    "partners are",
    "partners include",
    "our partners",
]
_SECTIONS: dict[str, list[dict[str, Any]]] = {
    "capability-statement": [
        {
            "heading": "Core competencies",
            "questions": [
                {
                    "ask": "What services, products, and technical capabilities does our organization offer?",
                    "missing": "a document that describes your services and technical capabilities",
                    "topic": "capabilities",
                }
            ],
            "instructions": "Name the capabilities that this notice asks for. Plain sentences, no slogans.",
        },
        {
            "heading": "Past performance",
            "questions": [
                {
                    "ask": "Which past contracts and completed projects show relevant experience, for which customer and value?",
                    "missing": "a list of past contracts with customer, scope, value, and period",
                    "topic": "past_performance",
                }
            ],
            "instructions": "For each project: the customer, what was done, the result. Only figures that a passage states.",
            "words": 220,
        },
        {
            "heading": "Differentiators",
            "questions": [
                {
                    "ask": "What distinguishes our methods, quality, safety record, or results from those of others?",
                    "missing": "evidence of what sets you apart, such as quality figures, methods, or awards",
                    "topic": "differentiators",
                }
            ],
            "instructions": "Only differences that a passage proves.",
            "words": 110,
        },
        {
            "heading": "Key personnel",
            "questions": [
                {
                    "ask": "Who are the key personnel, with which qualifications and certifications?",
                    "missing": "short biographies of your key personnel",
                    "topic": "people",
                }
            ],
            "instructions": "Name people with their role and qualification.",
            "words": 120,
        },
        {
            "heading": "Facilities and equipment",
            "questions": [
                {
                    "ask": "What facilities, equipment, and capacity do we have?",
                    "missing": "a description of your facilities, equipment, and capacity",
                    "topic": "facilities",
                }
            ],
            "instructions": "Places first, then equipment and capacity.",
            "words": 100,
        },
        {
            "heading": "Company data",
            "questions": [
                {
                    "ask": "What are our UEI, CAGE code, NAICS codes, business size, and set-aside certifications?",
                    "missing": "your company data: UEI, CAGE code, NAICS codes, size, and certifications",
                    "topic": "company_data",
                },
                {
                    "ask": "Who is the contact person, with which address, telephone number, and email?",
                    "missing": "your contact person with address, telephone number, and email",
                    "topic": "contact",
                },
            ],
            "instructions": "A short list of the identifiers, exactly as the passages state them, then the contact person.",
            "words": 80,
        },
    ],
    "project-summary": [
        {
            "heading": "Need and significance",
            "questions": [
                {
                    "ask": "Which problem is not solved today, and how many people does it affect?",
                    "missing": "a description of the problem, with figures that show its size",
                    "topic": "need",
                }
            ],
            "instructions": "State the problem and who has it, with the figures the passages give.",
            "words": 140,
            "opening": "{applicant}",
        },
        {
            "heading": "Goals and specific aims",
            "questions": [
                {
                    "ask": "What are the goals, objectives, hypotheses, and specific aims?",
                    "missing": "your goals and specific aims",
                    "topic": "aims",
                }
            ],
            "instructions": "One sentence for the goal, then the aims as a list.",
            "words": 130,
        },
        {
            "heading": "Approach",
            "questions": [
                {
                    "ask": "What methods, study design, work plan, and timeline will be used?",
                    "missing": "your methods, work plan, and timeline",
                    "topic": "approach",
                }
            ],
            "instructions": "Methods in the order they are applied.",
            "words": 170,
        },
        {
            "heading": "Team and resources",
            "questions": [
                {
                    "ask": "Who is responsible for the project, with how many years of experience?",
                    "missing": "who leads the project and what they have done before",
                    "topic": "people",
                },
                {
                    "ask": "Which facilities, data, equipment, and partners are available?",
                    "missing": "the facilities, data, and partners you can use",
                    "topic": "facilities",
                    "answered": _PARTNERS,
                    "remaining": "the facilities and data you can use",
                },
            ],
            "instructions": "People first, then resources and partners.",
            "words": 110,
        },
        {
            "heading": "Expected results and evaluation",
            "questions": [
                {
                    "ask": "What outcomes and impact are expected, and how are they measured and evaluated?",
                    "missing": "the results you expect and how you will measure them",
                    "topic": "outcomes",
                }
            ],
            "instructions": "Each result with its measure.",
            "words": 120,
        },
    ],
    "cover-letter": [
        {
            "heading": "Who we are",
            "questions": [
                {
                    "ask": "What kind of organization is it, where, and when was it founded?",
                    "missing": "a short profile of your organization: founding, location, and mission",
                    "topic": "profile",
                }
            ],
            "instructions": "Two or three sentences in the first person plural.",
            "words": 70,
            "opening": "{date}\n\n{recipient}\n\n**Re: {opportunity}, {number}**\n\nDear {addressee},\n\n{purpose}",
        },
        {
            "heading": "Why we fit this opportunity",
            "questions": [
                {
                    "ask": "Which experience and capabilities do we have in {opportunity}?",
                    "missing": "experience that matches what this opportunity asks for",
                    "topic": "fit",
                }
            ],
            "instructions": "Tie each point to something the notice asks for.",
            "words": 130,
        },
        {
            "heading": "What we will deliver",
            "questions": [
                {
                    "ask": "What do we propose to do and to deliver, and by when?",
                    "missing": "what you propose to deliver, and by when",
                    "topic": "offer",
                }
            ],
            "instructions": "Deliverables and times only as the passages state them.",
            "words": 100,
        },
        {
            "heading": "Contact",
            "questions": [
                {
                    "ask": "Who is the contact person, with which address, telephone number, and email?",
                    "missing": "your contact person with address, telephone number, and email",
                    "topic": "contact",
                }
            ],
            "instructions": "Name and contact details only.",
            "words": 40,
            "opening": "Sincerely,",
            "otherwise": "{company}",
        },
    ],
}
_DEFAULTS = {"questions": [], "instructions": "Plain sentences.", "words": 150, "opening": "", "otherwise": ""}
_QUESTION = {"missing": "", "topic": None, "answered": [], "remaining": ""}


def upgrade() -> None:
    op.create_table(
        "draft_template",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        sa.Column("trash_id", sa.Uuid(), nullable=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("sections", JSONB(), nullable=False),
        sa.Column("is_letter", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("changed_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("num_nonnulls(owner_id, trash_id) = 1", name="ck_draft_template_owned_or_trashed"),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name="fk_draft_template_owner_id_workspace", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["trash_id"], ["trash_item.id"], name="fk_draft_template_trash_id_trash_item", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name="fk_draft_template_created_by_account", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["changed_by"], ["account.id"], name="fk_draft_template_changed_by_account", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_draft_template"),
    )
    for column in ("owner_id", "trash_id", "created_by", "changed_by"):
        op.create_index(f"ix_draft_template_{column}", "draft_template", [column])
    op.execute(f"CREATE POLICY workspace ON draft_template USING ({_ROWS}) WITH CHECK ({_ROWS})")
    op.execute("ALTER TABLE draft_template ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
    op.execute("SELECT set_config('app.is_installation', 'on', true)")  # the rows of all workspaces
    op.add_column("draft", sa.Column("is_letter", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.alter_column("draft", "is_letter", server_default=None)
    op.execute("UPDATE draft SET is_letter = template = 'cover-letter'")
    op.add_column("draft_section", sa.Column("plan", JSONB()))
    section = sa.table("draft_section", sa.column("plan", JSONB), sa.column("draft_id"), sa.column("template_heading"))
    draft = sa.table("draft", sa.column("id"), sa.column("template"))
    of_template = section.update().where(section.c.template_heading.is_not(None))
    op.execute(
        of_template.values(
            plan=sa.func.jsonb_build_object("heading", section.c.template_heading).op("||")(sa.cast(_DEFAULTS, JSONB))
        )
    )
    for template, plans in _SECTIONS.items():
        drafts = sa.select(draft.c.id).where(draft.c.template == template)
        for plan in plans:
            questions = [_QUESTION | question for question in plan["questions"]]
            of_plan = section.update().where(section.c.template_heading == plan["heading"], section.c.draft_id.in_(drafts))
            op.execute(of_plan.values(plan=_DEFAULTS | plan | {"questions": questions}))
    op.drop_column("draft_section", "template_heading")
