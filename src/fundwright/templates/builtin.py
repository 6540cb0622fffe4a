"""The draft templates that come with Fundwright."""

from __future__ import annotations

from fundwright.reading.topics import Topic
from fundwright.templates.schemas import DraftTemplate, TemplateQuestion, TemplateSection

_CONTACT = TemplateQuestion(
    ask="Who is the contact person, with which address, telephone number, and email?",
    missing="your contact person with address, telephone number, and email",
    topic=Topic.CONTACT,
)

_PARTNERS = (
    *(f"{words} with" for words in ("partner", "partners", "partnered", "partnership", "partnerships")),
    *(f"collaborat{ending} with" for ending in ("e", "es", "ed", "ing", "ion", "ions", "ive", "or", "ors", "ively")),
    *("partners are", "partners include", "our partners"),
)
"""Phrases that name partners."""

CAPABILITY_STATEMENT = DraftTemplate(
    name="capability-statement",
    title="Capability statement",
    description="One or two pages for a contracting officer: what your organization does, has done, and is set up to do.",
    sections=(
        TemplateSection(
            heading="Core competencies",
            questions=(
                TemplateQuestion(
                    ask="What services, products, and technical capabilities does our organization offer?",
                    missing="a document that describes your services and technical capabilities",
                    topic=Topic.CAPABILITIES,
                ),
            ),
            instructions="Name the capabilities that this notice asks for. Plain sentences, no slogans.",
            words=150,
        ),
        TemplateSection(
            heading="Past performance",
            questions=(
                TemplateQuestion(
                    ask="Which past contracts and completed projects show relevant experience, for which customer and value?",
                    missing="a list of past contracts with customer, scope, value, and period",
                    topic=Topic.PAST_PERFORMANCE,
                ),
            ),
            instructions="For each project: the customer, what was done, the result. Only figures that a passage states.",
            words=220,
        ),
        TemplateSection(
            heading="Differentiators",
            questions=(
                TemplateQuestion(
                    ask="What distinguishes our methods, quality, safety record, or results from those of others?",
                    missing="evidence of what sets you apart, such as quality figures, methods, or awards",
                    topic=Topic.DIFFERENTIATORS,
                ),
            ),
            instructions="Only differences that a passage proves.",
            words=110,
        ),
        TemplateSection(
            heading="Key personnel",
            questions=(
                TemplateQuestion(
                    ask="Who are the key personnel, with which qualifications and certifications?",
                    missing="short biographies of your key personnel",
                    topic=Topic.PEOPLE,
                ),
            ),
            instructions="Name people with their role and qualification.",
            words=120,
        ),
        TemplateSection(
            heading="Facilities and equipment",
            questions=(
                TemplateQuestion(
                    ask="What facilities, equipment, and capacity do we have?",
                    missing="a description of your facilities, equipment, and capacity",
                    topic=Topic.FACILITIES,
                ),
            ),
            instructions="Places first, then equipment and capacity.",
            words=100,
        ),
        TemplateSection(
            heading="Company data",
            questions=(
                TemplateQuestion(
                    ask="What are our UEI, CAGE code, NAICS codes, business size, and set-aside certifications?",
                    missing="your company data: UEI, CAGE code, NAICS codes, size, and certifications",
                    topic=Topic.COMPANY_DATA,
                ),
                _CONTACT,
            ),
            instructions="A short list of the identifiers, exactly as the passages state them, then the contact person.",
            words=80,
        ),
    ),
)

PROJECT_SUMMARY = DraftTemplate(
    name="project-summary",
    title="Project summary",
    description="The abstract of a grant application: need, aims, approach, team, and expected results.",
    sections=(
        TemplateSection(
            heading="Need and significance",
            questions=(
                TemplateQuestion(
                    ask="Which problem is not solved today, and how many people does it affect?",
                    missing="a description of the problem, with figures that show its size",
                    topic=Topic.NEED,
                ),
            ),
            instructions="State the problem and who has it, with the figures the passages give.",
            words=140,
            opening="{applicant}",
        ),
        TemplateSection(
            heading="Goals and specific aims",
            questions=(
                TemplateQuestion(
                    ask="What are the goals, objectives, hypotheses, and specific aims?",
                    missing="your goals and specific aims",
                    topic=Topic.AIMS,
                ),
            ),
            instructions="One sentence for the goal, then the aims as a list.",
            words=130,
        ),
        TemplateSection(
            heading="Approach",
            questions=(
                TemplateQuestion(
                    ask="What methods, study design, work plan, and timeline will be used?",
                    missing="your methods, work plan, and timeline",
                    topic=Topic.APPROACH,
                ),
            ),
            instructions="Methods in the order they are applied.",
            words=170,
        ),
        TemplateSection(
            heading="Team and resources",
            questions=(
                TemplateQuestion(
                    ask="Who is responsible for the project, with how many years of experience?",
                    missing="who leads the project and what they have done before",
                    topic=Topic.PEOPLE,
                ),
                TemplateQuestion(
                    ask="Which facilities, data, equipment, and partners are available?",
                    missing="the facilities, data, and partners you can use",
                    answered=_PARTNERS,
                    remaining="the facilities and data you can use",
                    topic=Topic.FACILITIES,
                ),
            ),
            instructions="People first, then resources and partners.",
            words=110,
        ),
        TemplateSection(
            heading="Expected results and evaluation",
            questions=(
                TemplateQuestion(
                    ask="What outcomes and impact are expected, and how are they measured and evaluated?",
                    missing="the results you expect and how you will measure them",
                    topic=Topic.OUTCOMES,
                ),
            ),
            instructions="Each result with its measure.",
            words=120,
        ),
    ),
)

COVER_LETTER = DraftTemplate(
    name="cover-letter",
    is_letter=True,
    title="Cover letter",
    description="A one-page letter that goes with the submission: who you are, why you fit, what you offer.",
    sections=(
        TemplateSection(
            heading="Who we are",
            questions=(
                TemplateQuestion(
                    ask="What kind of organization is it, where, and when was it founded?",
                    missing="a short profile of your organization: founding, location, and mission",
                    topic=Topic.PROFILE,
                ),
            ),
            instructions="Two or three sentences in the first person plural.",
            words=70,
            opening="{date}\n\n{recipient}\n\n**Re: {opportunity}, {number}**\n\nDear {addressee},\n\n{purpose}",
        ),
        TemplateSection(
            heading="Why we fit this opportunity",
            questions=(
                TemplateQuestion(
                    ask="Which experience and capabilities do we have in {opportunity}?",
                    missing="experience that matches what this opportunity asks for",
                    topic=Topic.FIT,
                ),
            ),
            instructions="Tie each point to something the notice asks for.",
            words=130,
        ),
        TemplateSection(
            heading="What we will deliver",
            questions=(
                TemplateQuestion(
                    ask="What do we propose to do and to deliver, and by when?",
                    missing="what you propose to deliver, and by when",
                    topic=Topic.OFFER,
                ),
            ),
            instructions="Deliverables and times only as the passages state them.",
            words=100,
        ),
        TemplateSection(
            heading="Contact",
            questions=(_CONTACT,),
            instructions="Name and contact details only.",
            words=40,
            opening="Sincerely,",
            otherwise="{company}",
        ),
    ),
)

TEMPLATES = (CAPABILITY_STATEMENT, PROJECT_SUMMARY, COVER_LETTER)
