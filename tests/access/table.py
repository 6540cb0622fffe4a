"""The permission that each route, screen, and job kind requires. A route, screen, or job kind that is missing here fails the
tests in this folder.

The table is written by hand: it states the intended permissions, and the tests compare them with the product's.
"""

from __future__ import annotations

import re
from typing import Literal

from fundwright.accounts.schemas import Permission

ANYONE = None
"""Also for people who are not signed in."""

OWN_PAGES: Literal["own pages"] = "own pages"
"""Also for people who are not signed in, but only from our own pages: the request must have our Origin."""

Need = Permission | Literal["own pages"] | None


def _table(*parts: tuple[Need, str]) -> dict[str, Need]:
    return {line.strip(): need for need, lines in parts for line in lines.strip().splitlines()}


ROUTES = _table(
    (ANYONE, """
        POST /signin
        POST /session
        DELETE /session
        POST /api/account/login
        POST /api/account/login/passkey
        POST /api/account/login/passkey-options
        POST /api/account/register
        POST /api/account/verify
        POST /api/account/resend-verification
        POST /api/account/reset-password
        POST /api/account/reset-choices
        POST /api/account/confirm-reset
        POST /api/account/confirm-email
        GET /api/health
        GET /healthz
        GET /readyz
        GET /api/blog
        GET /api/blog/export.csv
        GET /api/blog/{slug}
        GET /blog/rss.xml
        GET /api/docs
        GET /api/openapi.json
        GET /assets/{path:path}
        GET /connection
        GET /shared/{secret}
        POST /shared/{secret}
        GET /unsubscribe/{token}
        POST /unsubscribe/{token}
        GET /shared/{secret}/opportunities/{notice_id}
        GET /shared/{secret}/comments
        POST /shared/{secret}/comments
        GET /{path:page}
    """),
    (OWN_PAGES, """
        POST /stream
        POST /stream/frames
        POST /stream/close
    """),
    (Permission.READ, """
        GET /api/account/my-account
        GET /api/account/profile
        PUT /api/account/profile
        PUT /api/account/locale
        PUT /api/account/password
        POST /api/account/email
        POST /api/account/photo
        DELETE /api/account/photo
        GET /api/account/photos/{photo_id}
        GET /api/account/data
        POST /api/account/data
        GET /api/account/data/archive
        POST /api/account/deletion
        GET /api/account/second-factor
        POST /api/account/second-factor
        PUT /api/account/second-factor
        DELETE /api/account/second-factor
        POST /api/account/recovery-codes
        GET /api/account/passkeys
        GET /api/account/passkeys/export.csv
        POST /api/account/passkeys
        POST /api/account/passkeys/options
        DELETE /api/account/passkeys/{passkey_id}
        PUT /api/account/reauthentication
        POST /api/account/reauthentication/options
        PUT /api/account/language
        GET /api/account/sessions
        GET /api/account/sessions/export.csv
        DELETE /api/account/sessions
        DELETE /api/account/sessions/{session_id}
        GET /api/account/tokens
        GET /api/account/tokens/export.csv
        POST /api/account/tokens
        DELETE /api/account/tokens/{token_id}
        GET /api/billing/plans
        GET /api/billing/workspace
        GET /api/billing/workspace/payments
        GET /api/billing/workspace/payments/export.csv
        GET /api/billing/workspace/premium-links
        GET /api/billing/workspace/premium-links/export.csv
        POST /api/billing/workspace/premium-links
        GET /api/categories
        GET /api/categories/export.csv
        GET /api/categories/suggestions
        GET /api/categories/suggestions/export.csv
        GET /api/categories/{category_id}
        GET /api/categories/{category_id}/examples
        GET /api/categories/{category_id}/examples/export.csv
        GET /api/comments
        GET /api/comments/export.csv
        GET /api/comments/{comment_id}
        GET /api/drafts
        GET /api/drafts/export.csv
        GET /api/drafts/slug/{slug}
        GET /api/drafts/{draft_id}
        GET /api/drafts/{draft_id}/export
        GET /api/drafts/{draft_id}/export-warnings
        GET /api/drafts/{draft_id}/restriction
        POST /api/drafts/{draft_id}/sections/{section_id}/comparison
        GET /api/drafts/{draft_id}/sections/{section_id}/versions
        GET /api/drafts/{draft_id}/sections/{section_id}/versions/{number}/changes
        POST /api/feedback
        GET /api/opportunities
        GET /api/opportunities/facets
        GET /api/opportunities/deadlines
        GET /api/opportunities/matches
        GET /api/opportunities/suggestions
        GET /api/opportunities/new
        GET /api/opportunities/export.csv
        GET /api/opportunities/categorize/{job_id}
        GET /api/opportunities/embedding
        GET /api/opportunities/sources
        GET /api/opportunities/imports
        GET /api/opportunities/imports/export.csv
        GET /api/opportunities/imports/{run_id}
        GET /api/opportunities/imports/{run_id}/rejections
        GET /api/opportunities/imports/{run_id}/rejections/export.csv
        GET /api/opportunities/{opportunity_id}
        GET /api/opportunities/{opportunity_id}/versions
        GET /api/opportunities/{opportunity_id}/versions/export.csv
        GET /api/opportunities/{opportunity_id}/watch
        PUT /api/opportunities/{opportunity_id}/watch
        DELETE /api/opportunities/{opportunity_id}/watch
        GET /api/workspace/profile
        GET /api/opportunities/{opportunity_id}/fit
        GET /api/saved-searches
        GET /api/saved-searches/export.csv
        GET /api/saved-searches/{search_id}
        GET /api/saved-searches/{search_id}/restriction
        PUT /api/saved-searches/{search_id}/visit
        PUT /api/saved-searches/{search_id}/following
        DELETE /api/saved-searches/{search_id}/following
        GET /api/pipeline
        GET /api/pipeline/export.csv
        GET /api/pipeline/totals
        GET /api/pipeline/{pursuit_id}
        GET /api/templates
        GET /api/templates/export.csv
        GET /api/templates/{template_id}
        GET /api/templates/{template_id}/file
        GET /api/tasks
        GET /api/tasks/export.csv
        GET /api/tasks/due
        GET /api/tasks/{task_id}
        PUT /api/tasks/{task_id}/completion
        DELETE /api/tasks/{task_id}/completion
        GET /api/facts
        GET /api/facts/export.csv
        GET /api/facts/counts
        GET /api/facts/organization
        GET /api/facts/{fact_id}
        GET /api/notes
        GET /api/notes/export.csv
        GET /api/notes/{note_id}
        GET /api/answers
        GET /api/answers/export.csv
        GET /api/training/collections
        GET /api/training/collections/export.csv
        GET /api/training/collections/{collection_id}
        GET /api/training/collections/{collection_id}/restriction
        GET /api/training/documents
        GET /api/training/documents/export.csv
        GET /api/training/documents/{document_id}
        GET /api/training/documents/{document_id}/blocks
        GET /api/training/documents/{document_id}/file
        GET /api/training/documents/{document_id}/pages/{number}
        GET /api/training/documents/{document_id}/pages/{number}/words
        GET /api/training/documents/{document_id}/restriction
        GET /api/training/formats
        GET /api/training/models
        GET /api/training/passages/{passage_id}
        GET /api/activity
        GET /api/activity/export.csv
        GET /api/notifications
        GET /api/notifications/export.csv
        GET /api/notifications/unread
        GET /api/notifications/choices
        PUT /api/notifications/choices/{kind}
        PUT /api/notifications/read
        PUT /api/notifications/{notification_id}/read
        DELETE /api/notifications/{notification_id}/read
        GET /api/trash
        GET /api/trash/export.csv
        GET /api/workspaces
        POST /api/workspaces
        PUT /api/workspaces/{workspace_id}/use
        GET /api/workspace
        GET /api/workspace/support
        PUT /api/workspace/support
        DELETE /api/workspace/support
        GET /api/workspaces/support
        GET /api/workspaces/support/export.csv
        PATCH /api/workspace
        DELETE /api/workspace
        DELETE /api/workspace/membership
        GET /api/workspace/members
        GET /api/workspace/members/export.csv
        PATCH /api/workspace/members/{account_id}
        PUT /api/workspace/members/{account_id}/ownership
        DELETE /api/workspace/members/{account_id}
        GET /api/workspace/invitations
        POST /api/workspace/invitations
        DELETE /api/workspace/invitations/{invitation_id}
        GET /api/workspace/restrictions
        GET /api/workspace/restrictions/export.csv
        DELETE /api/workspace/restrictions/{subject_id}
        GET /api/workspace/invitations/export.csv
        GET /api/workspaces/export.csv
        GET /api/workspaces/invitations
        GET /api/workspaces/invitations/export.csv
        POST /api/workspaces/invitations/{invitation_id}/acceptance
        DELETE /api/workspaces/invitations/{invitation_id}
        POST /api/workspaces/links/{secret}/acceptance
        GET /api/training/runs
        GET /api/training/runs/export.csv
        GET /api/training/runs/{run_id}
        GET /api/training/runs/{run_id}/documents
        GET /api/training/runs/{run_id}/documents/export.csv
        GET /api/training/runs/{run_id}/failures
        GET /api/training/runs/{run_id}/failures/export.csv
    """),
    (Permission.LABEL, """
        POST /api/categories
        PATCH /api/categories/{category_id}
        DELETE /api/categories/{category_id}
        DELETE /api/categories/sample
        POST /api/categories/sample
        POST /api/opportunities/categorize
        PUT /api/opportunities/categorize/{job_id}/cancellation
        PUT /api/categories/labels/{subject_id}
        PUT /api/categories/labels/{subject_id}/{category_id}/acceptance
        PUT /api/categories/labels/{subject_id}/{category_id}/rejection
        PUT /api/categories/labels/{subject_id}/restoration
        DELETE /api/categories/labels/{subject_id}/{category_id}
    """),
    (Permission.LABEL, """
        POST /api/comments
        POST /api/comments/{comment_id}/replies
        PATCH /api/comments/{comment_id}
        DELETE /api/comments/{comment_id}
        PUT /api/comments/{comment_id}/resolution
        DELETE /api/comments/{comment_id}/resolution
    """),
    (Permission.LABEL, """
        DELETE /api/trash
        PUT /api/trash/{item_id}/restoration
        DELETE /api/trash/{item_id}
    """),
    (Permission.WORK, """
        POST /api/drafts
        DELETE /api/drafts/{draft_id}
        PUT /api/drafts/{draft_id}/restriction
        DELETE /api/drafts/{draft_id}/restriction
        PUT /api/drafts/{draft_id}/cancellation
        PUT /api/drafts/{draft_id}/continuation
        PUT /api/drafts/{draft_id}/title
        PUT /api/drafts/{draft_id}/sources
        POST /api/drafts/{draft_id}/sections
        POST /api/drafts/{draft_id}/sections/{section_id}/versions
        PUT /api/drafts/{draft_id}/sections/{section_id}
        DELETE /api/drafts/{draft_id}/sections/{section_id}
        PUT /api/drafts/{draft_id}/sections/{section_id}/position
        PUT /api/drafts/{draft_id}/sections/{section_id}/match
        PUT /api/drafts/{draft_id}/sections/{section_id}/question
        PUT /api/drafts/{draft_id}/sections/{section_id}/regeneration
        DELETE /api/drafts/{draft_id}/sections/{section_id}/regeneration
        PUT /api/drafts/{draft_id}/sections/{section_id}/versions/{number}/restoration
        POST /api/opportunities/imports/{source}
        PUT /api/opportunities/imports/{run_id}/cancellation
        POST /api/training/documents
        POST /api/training/texts
        PUT /api/training/documents/{document_id}/kind
        PUT /api/training/documents/{document_id}/date
        PUT /api/training/documents/{document_id}/use
        DELETE /api/training/documents/{document_id}/use
        PUT /api/training/documents/{document_id}/title
        DELETE /api/training/documents/{document_id}
        PUT /api/training/documents/{document_id}/restriction
        DELETE /api/training/documents/{document_id}/restriction
        DELETE /api/training/documents/sample
        POST /api/training/documents/sample
        POST /api/training/runs
        PUT /api/training/runs/{run_id}/cancellation
        POST /api/training/runs/{run_id}/repetitions
        PUT /api/workspace/profile
        PUT /api/opportunities/{opportunity_id}/fit/score
        DELETE /api/opportunities/{opportunity_id}/fit/score
        POST /api/training/collections
        PUT /api/training/collections/{collection_id}/name
        DELETE /api/training/collections/{collection_id}
        PUT /api/training/collections/{collection_id}/restriction
        DELETE /api/training/collections/{collection_id}/restriction
        PUT /api/training/documents/{document_id}/collection
        PUT /api/training/documents/{document_id}/replacement
        DELETE /api/training/documents/{document_id}/replacement
        DELETE /api/training/documents/{document_id}/resemblance
        POST /api/pipeline
        PUT /api/pipeline/{pursuit_id}
        PUT /api/pipeline/{pursuit_id}/stage
        DELETE /api/pipeline/{pursuit_id}
        POST /api/templates
        POST /api/templates/files
        POST /api/templates/{template_id}/copies
        PUT /api/templates/{template_id}
        DELETE /api/templates/{template_id}
        POST /api/saved-searches
        PUT /api/saved-searches/{search_id}/name
        PUT /api/saved-searches/{search_id}/query
        DELETE /api/saved-searches/{search_id}
        PUT /api/saved-searches/{search_id}/restriction
        DELETE /api/saved-searches/{search_id}/restriction
        POST /api/tasks
        PUT /api/tasks/{task_id}
        DELETE /api/tasks/{task_id}
        POST /api/facts
        POST /api/facts/decisions
        PUT /api/facts/{fact_id}
        DELETE /api/facts/{fact_id}
        POST /api/notes
        PUT /api/notes/{note_id}
        DELETE /api/notes/{note_id}
        PUT /api/notes/{note_id}/pin
        DELETE /api/notes/{note_id}/pin
        GET /api/shares
        GET /api/shares/export.csv
        POST /api/shares/drafts/{draft_id}
        POST /api/shares/opportunities
        DELETE /api/shares/{share_id}
    """),
    (Permission.ADMINISTER, """
        GET /api/audit
        GET /api/audit/export.csv
        GET /api/billing/payments
        GET /api/billing/payments/export.csv
        GET /api/billing/payments/sums
        GET /api/billing/payments/{payment_id}
        GET /api/billing/premium-links
        GET /api/billing/premium-links/export.csv
        GET /api/billing/premium-links/{link_id}
        GET /api/billing/premium-links/{link_id}/uses
        GET /api/billing/premium-links/{link_id}/uses/export.csv
        GET /api/billing/subscribers
        GET /api/billing/subscribers/export.csv
        GET /api/billing/subscribers/{workspace_id}
        GET /api/blog/posts
        GET /api/blog/posts/export.csv
        GET /api/blog/posts/{post_id}
        GET /api/feedback
        GET /api/feedback/export.csv
        GET /api/feedback/{feedback_id}
        GET /api/insights/figures
        GET /api/insights/history
        GET /api/insights/history/export.csv
        GET /api/insights/history/choices
        GET /api/insights/pages
        GET /api/insights/pages/export.csv
        GET /api/insights/usage
        GET /api/insights/usage/export.csv
        GET /api/invitations
        GET /api/invitations/export.csv
        GET /api/people
        GET /api/people/export.csv
        GET /api/people/{account_id}
        PUT /api/billing/plans/{code}
        PUT /api/billing/subscribers/{workspace_id}
        POST /api/billing/payments
        PUT /api/billing/payments/{payment_id}/paid
        PUT /api/billing/payments/{payment_id}/void
        POST /api/billing/premium-links
        PUT /api/billing/premium-links/{link_id}/revocation
        POST /api/blog/posts
        PUT /api/blog/posts/{post_id}
        DELETE /api/blog/posts/{post_id}
        PUT /api/blog/posts/{post_id}/publication
        DELETE /api/blog/posts/{post_id}/publication
        PATCH /api/feedback/{feedback_id}
        POST /api/invitations
        DELETE /api/invitations/{invitation_id}
        PUT /api/invitations/{invitation_id}/link
        GET /api/mails
        GET /api/mails/export.csv
        PUT /api/people/{account_id}/role
        PUT /api/people/{account_id}/disabled
        DELETE /api/people/{account_id}/disabled
        GET /api/people/{account_id}/sessions
        GET /api/people/{account_id}/sessions/export.csv
        DELETE /api/people/{account_id}/sessions
        POST /api/people/{account_id}/reset
        DELETE /api/people/{account_id}/second-factor
        DELETE /api/opportunities/sample
        POST /api/opportunities/sample
        POST /api/opportunities/embedding
        PUT /api/opportunities/embedding/cancellation
    """),
)  # fmt: skip

OF_OWNERS = frozenset((
    "GET /api/billing/workspace/payments",
    "GET /api/billing/workspace/payments/export.csv",
    "GET /api/billing/workspace/premium-links",
    "GET /api/billing/workspace/premium-links/export.csv",
    "POST /api/billing/workspace/premium-links",
    "PUT /api/workspace/support",
    "DELETE /api/workspace/support",
    "PATCH /api/workspace",
    "DELETE /api/workspace",
    "PATCH /api/workspace/members/{account_id}",
    "PUT /api/workspace/members/{account_id}/ownership",
    "DELETE /api/workspace/members/{account_id}",
    "POST /api/workspace/invitations",
    "DELETE /api/workspace/invitations/{invitation_id}",
    "GET /api/workspace/restrictions",
    "GET /api/workspace/restrictions/export.csv",
    "DELETE /api/workspace/restrictions/{subject_id}",
))  # fmt: skip
"""Routes that only owners of the workspace may use."""

SCREENS = _table(
    (ANYONE, """
        /404
        /500
        /auth/login
        /auth/login-unprotected
        /auth/register/{type}/{token}
        /auth/register/premium/{token}
        /auth/register-unprotected
        /auth/reset-password
        /auth/confirm-reset/{link}
        /auth/verify/{email}
        /auth/first-admin/{secret}
        /auth/second-factor
        /auth/confirm-email/{link}
        /coming-soon
        /maintenance
        /blog
        /blog/{slug}
        /feedback
        /help
        /help/{topic}
        /payment
        /pricing
    """),
    (Permission.READ, """
        /dashboard/index
        /dashboard/nih
        /dashboard/nih/{id}
        /dashboard/sam
        /dashboard/sam/{id}
        /dashboard/train
        /dashboard/train/collections
        /dashboard/train/{id}
        /dashboard/notifications
        /dashboard/trash
        /dashboard/history
        /dashboard/history/{id}
        /dashboard/passage/{id}
        /dashboard/category
        /dashboard/user/account
        /generate/index
        /generate/slug/{token}
        /generate/templates
        /generate/templates/{id}
        /dashboard/workspace
        /dashboard/saved-searches
        /dashboard/pipeline
        /dashboard/tasks
        /dashboard/notes
        /dashboard/workspace/facts
        /dashboard/share-links
        /workspaces/join/{secret}
    """),
    (Permission.ADMINISTER, """
        /dashboard/analyze
        /dashboard/audit
        /dashboard/blog/list
        /dashboard/blog/{id}/edit
        /dashboard/feedback
        /dashboard/freepremium
        /dashboard/freepremium/{id}
        /dashboard/payment/history
        /dashboard/payment/history/{id}
        /dashboard/subscription
        /dashboard/subscription/{id}
        /dashboard/users
        /dashboard/users/{id}
        /dashboard/blog/new-post
        /dashboard/outbox
    """),
)  # fmt: skip

JOBS: dict[str, str | None] = {
    "personal_data": "POST /api/account/data",
    "personal_data_expiry": None,
    "import": "POST /api/opportunities/imports/{source}",
    "categorize": "POST /api/opportunities/categorize",
    "embed": None,
    "find_facts": "PUT /api/training/documents/{document_id}/kind",
    "propose_kinds": None,
    "remove_files": None,
    "train": "POST /api/training/runs",
    "draft": "POST /api/drafts",
    "draft_section": "PUT /api/drafts/{draft_id}/sections/{section_id}/regeneration",
    "email.requested": None,
    "mail.send": None,
    "support_expiry": None,
}
"""Each job kind, and the route that starts it; None if the product starts it itself."""

ID_FIELD = re.compile(r"(^|[._])(ids?|slug|category|link|token|secret)(\[\])*$")
"""Names of fields that contain ids, besides those of type UUID."""

WORLD = {
    "account_id": "account",
    "members[].account_id": "account",
    "/api/workspace subject_id": "document",
    "person": "account",
    "assignee": "account",
    "assignee_id": "account",
    "author": "account",
    "category": "category",
    "category_id": "category",
    "before[].category_id": "category",
    "collection": "collection",
    "collection_id": "collection",
    "comment_id": "comment",
    "thread_id": "comment",
    "document": "document",
    "document_id": "document",
    "document_ids[]": "document",
    "draft": "draft",
    "draft_id": "draft",
    "fact_id": "fact",
    "facts[].id": "fact",
    "feedback_id": "feedback",
    "invitation_id": "invitation",
    "job_id": "job",
    "link_id": "premium link",
    "notification_id": "notification",
    "note_id": "note",
    "opportunity": "notice",
    "opportunity_id": "notice",
    "passage_id": "passage",
    "passkey_id": "passkey",
    "remove_passkeys[]": "passkey",
    "payment_id": "payment",
    "photo_id": "photo",
    "post_id": "post",
    "part_id": "section",
    "lead": "account",
    "lead_id": "account",
    "pursuit_id": "pursuit",
    "search_id": "saved search",
    "section_id": "section",
    "session_id": "session",
    "share_id": "share link",
    "subject_id": "subject",
    "item_id": "trashed",
    "template_id": "template",
    "task_id": "task",
    "token_id": "token",
    "workspace_id": "workspace",
    "/api/comments subject_id": "draft",
    "/api/workspace invitation_id": "workspace invitation",
    "/api/workspaces invitation_id": "own invitation",
    "/api/notifications kind": "name",
    "/api/training run_id": "run",
    "/api/opportunities run_id": "import",
    "query.category": "category",
    "/api/drafts slug": "draft slug",
    "/api/blog slug": "post slug",
    "before[].model_id": "name",
    "code": "name",
    "number": "name",
    "source": "name",
    "link": "secret",
    "token": "secret",
    "secret": "secret",
    "email": "secret",
    "topic": "name",
    "type": "name",
    "slug": "post slug",
    "/dashboard/nih/{id} id": "notice",
    "/dashboard/sam/{id} id": "notice",
    "/dashboard/history/{id} id": "run",
    "/dashboard/passage/{id} id": "passage",
    "/dashboard/train/{id} id": "document",
    "/generate/slug/{token} token": "draft slug",
    "/generate/templates/{id} id": "template",
    "/dashboard/blog/{id}/edit id": "post",
    "/dashboard/freepremium/{id} id": "premium link",
    "/dashboard/payment/history/{id} id": "payment",
    "/dashboard/subscription/{id} id": "account",
    "/dashboard/users/{id} id": "account",
    "/workspaces/join/{secret} secret": "invitation link",
}
"""What each id in a route or a screen refers to, by the field's name, and by the area of the API where names are ambiguous."""

QUERIES = {
    "/auth/register/premium/{token}?workspace={id}": "workspace",
    "/dashboard/category?of={id}": "category",
    "/dashboard/category?open=edit:{id}": "category",
    "/dashboard/history?person={id}": "account",
    "/dashboard/nih?category={id}": "category",
    "/dashboard/sam?category={id}": "category",
    "/dashboard/nih?saved={id}": "saved search",
    "/dashboard/sam?saved={id}": "saved search",
    "/dashboard/pipeline?lead={id}": "account",
    "/dashboard/pipeline?moving={id}": "pursuit",
    "/dashboard/pipeline?open={id}": "pursuit",
    "/dashboard/pipeline?opportunity_id={id}": "notice",
    "/dashboard/share-links?draft_id={id}": "draft",
    "/dashboard/notifications?workspace_id={id}": "workspace",
    "/dashboard/train/collections?open={id}": "collection",
    "/dashboard/train?asked_in={id}": "collection",
    "/dashboard/train?collection={id}": "collection",
    "/dashboard/train?document={id}": "document",
    "/dashboard/tasks?assignee={id}": "account",
    "/dashboard/tasks?draft={id}": "draft",
    "/dashboard/tasks?open={id}": "task",
    "/dashboard/tasks?opportunity={id}": "notice",
    "/dashboard/notes?author={id}": "account",
    "/dashboard/notes?open={id}": "note",
    "/dashboard/workspace/facts?document={id}": "document",
    "/dashboard/workspace?person={id}": "account",
    "/dashboard/workspace?subject_id={id}": "document",
    "/dashboard/payment/history?workspace={id}": "account",
    "/generate/index?opportunity={id}": "notice",
    "/generate/index?template={id}": "template",
}
"""The ids that screens read from the query of their address, and what each refers to."""

NO_IDS = {
    "about": "which section of this draft a new comment is about; another draft's does nothing",
    "all": "whether closed notices are shown",
    "at": "a section of this draft and the number of a citation in it",
    "claims": "whether only claims that no passage supports are shown",
    "comment": "a comment on what is shown; other ones are not marked",
    "comments": "whether the comments are open",
    "comments_state": "a state",
    "company": "a name",
    "due": "when tasks are due",
    "edit": "which section of this draft or which fact of the list is edited; others do nothing",
    "filters": "whether the filters are open",
    "find": "words",
    "hidden": "whether hidden text is shown",
    "hit": "the number of a hit",
    "import": "whether the import is open",
    "is_followed": "whether searches are shown that one follows",
    "is_own": "whether one's own searches, or templates of the workspace, are shown",
    "is_restricted": "whether restricted drafts are shown",
    "kind": "a kind",
    "page": "a number, or the path that feedback is about",
    "part": "a number",
    "passage": "the number of a citation of this draft, or a passage of this document; other ones are not highlighted",
    "q": "words",
    "question": "words",
    "questions": "how many questions a form shows",
    "scoring": "whether the dialog of one's own score is open",
    "sort": "an order",
    "stage": "a stage",
    "state": "a state",
    "tab": "a part of the screen",
    "tasks": "whether the tasks are open",
    "text": "words",
    "to": "a stage",
    "unsure": "whether unlikely suggestions are shown",
    "view": "whether a board or a table is shown",
    "writing": "which comment on what is shown is being written; other ones do nothing",
    "zoom": "how large a page is shown",
}
"""Other parameters that screens read from it."""

NOT_OWNED = {
    "name": "not an id: the same for everybody",
    "notice": "everybody sees all notices",
    "secret": "anyone who knows it may use it",
}
"""Kinds of objects that everybody may use."""
