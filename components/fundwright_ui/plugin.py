"""What Fundwright registers through the plug-in hooks, apart from its slices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from fundwright.core.plugins import hookimpl
from fundwright_ui.extension import Screen, SidebarEntry

if TYPE_CHECKING:
    from fastapi import APIRouter

    from fundwright.core.health import HealthCheck


@hookimpl
def screens() -> Iterable[Screen]:
    # Imported lazily: only the server shows screens, and every command loads the plug-ins.
    from fundwright_ui import login
    from fundwright_ui.screens.account.account import account_screen
    from fundwright_ui.screens.admin.analyze import analyze_screen
    from fundwright_ui.screens.admin.audit import audit_screen
    from fundwright_ui.screens.admin.outbox import outbox_screen
    from fundwright_ui.screens.admin.people import people_screen
    from fundwright_ui.screens.admin.person import person_screen
    from fundwright_ui.screens.billing.invoice import invoice_screen
    from fundwright_ui.screens.billing.payment import payment_screen
    from fundwright_ui.screens.billing.payment_history import payment_history_screen
    from fundwright_ui.screens.billing.premium_link import premium_link_screen
    from fundwright_ui.screens.billing.premium_links import premium_links_screen
    from fundwright_ui.screens.billing.pricing import pricing_screen
    from fundwright_ui.screens.billing.redeeming import redeem_screen
    from fundwright_ui.screens.billing.subscriber import subscriber_screen
    from fundwright_ui.screens.billing.subscriptions import subscriptions_screen
    from fundwright_ui.screens.blog.blog import blog_post_screen, blog_screen
    from fundwright_ui.screens.blog.blog_list import blog_list_screen
    from fundwright_ui.screens.blog.editor import edit_post_screen, new_post_screen
    from fundwright_ui.screens.categories.category import category_screen
    from fundwright_ui.screens.dashboard.dashboard import dashboard_screen
    from fundwright_ui.screens.facts.facts import facts_screen
    from fundwright_ui.screens.feedback.feedback import feedback_screen
    from fundwright_ui.screens.feedback.feedback_list import feedback_list_screen
    from fundwright_ui.screens.generate.draft import draft_screen
    from fundwright_ui.screens.generate.generate import generate_screen
    from fundwright_ui.screens.help.help import help_screen, help_topic_screen
    from fundwright_ui.screens.notes.notes import notes_screen
    from fundwright_ui.screens.notifications import notifications_screen
    from fundwright_ui.screens.opportunities.nih import nih_screen
    from fundwright_ui.screens.opportunities.opportunity import contract_screen, grant_screen
    from fundwright_ui.screens.opportunities.sam import sam_screen
    from fundwright_ui.screens.pipeline.pipeline import pipeline_screen
    from fundwright_ui.screens.public.coming_soon import coming_soon_screen
    from fundwright_ui.screens.public.maintenance import maintenance_screen
    from fundwright_ui.screens.public.not_found import not_found_screen
    from fundwright_ui.screens.public.server_error import server_error_screen
    from fundwright_ui.screens.searches.saved_searches import saved_searches_screen
    from fundwright_ui.screens.sharing.links import share_links_screen
    from fundwright_ui.screens.tasks.tasks import tasks_screen
    from fundwright_ui.screens.templates.template import template_screen
    from fundwright_ui.screens.templates.templates_list import templates_screen
    from fundwright_ui.screens.training.collecting import collections_screen
    from fundwright_ui.screens.training.document import document_screen, passage_screen
    from fundwright_ui.screens.training.history import history_screen
    from fundwright_ui.screens.training.run import run_screen
    from fundwright_ui.screens.training.train import train_screen
    from fundwright_ui.screens.trash import trash_screen
    from fundwright_ui.screens.workspaces.joining import join_screen
    from fundwright_ui.screens.workspaces.workspace import workspace_screen

    return (
        replace(redeem_screen, visitor_screen=login.register_screen),  # before registration, whose address is more general
        *login.SCREENS,
        account_screen,
        dashboard_screen,
        analyze_screen,
        nih_screen,
        grant_screen,
        sam_screen,
        contract_screen,
        train_screen,
        collections_screen,
        document_screen,
        history_screen,
        run_screen,
        passage_screen,
        category_screen,
        generate_screen,
        draft_screen,
        share_links_screen,
        saved_searches_screen,
        pipeline_screen,
        templates_screen,
        template_screen,
        tasks_screen,
        notes_screen,
        trash_screen,
        notifications_screen,
        workspace_screen,
        facts_screen,
        join_screen,
        new_post_screen,
        edit_post_screen,
        blog_list_screen,
        blog_screen,
        blog_post_screen,
        replace(feedback_screen, visitor_screen=login.sign_in_screen),
        feedback_list_screen,
        people_screen,
        person_screen,
        audit_screen,
        outbox_screen,
        payment_history_screen,
        invoice_screen,
        premium_links_screen,
        premium_link_screen,
        subscriptions_screen,
        subscriber_screen,
        help_screen,
        help_topic_screen,
        pricing_screen,
        payment_screen,
        coming_soon_screen,
        maintenance_screen,
        not_found_screen,
        server_error_screen,
    )


@hookimpl
def sidebar_entries() -> Iterable[SidebarEntry]:
    from fundwright_ui import sidebar

    return sidebar.ENTRIES


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.core import health

    return [health.router]


@hookimpl
def health_checks() -> Iterable[HealthCheck]:
    from fundwright.core import health

    return [health.DATABASE]
