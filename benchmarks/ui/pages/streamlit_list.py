"""The list in Streamlit, with its dataframe. Started by the benchmark."""

import notices
import streamlit as st

st.set_page_config(layout="wide")
state = st.session_state
state.setdefault("page", 1)
choices = st.cache_data(notices.choices)


def begin_again() -> None:
    state.page = 1


def turn(by: int) -> None:
    state.page += by


def opportunities() -> None:
    st.write("Opportunities")
    asked = {"q": st.text_input("Search", on_change=begin_again)}
    for column, (name, label) in zip(
        st.columns(4), {"agency": "Agency", "type": "Type", "code": "Set-aside", "state": "Open or closed"}.items(), strict=True
    ):
        values = ["open", "closed"] if name == "state" else choices(name)
        asked[name] = column.selectbox(label, values, index=None, on_change=begin_again) or ""
    orders = ["Newest", *(notices.COLUMNS[name] for name in notices.ORDERS if name)]
    order = st.radio("Sort by", orders, horizontal=True, on_change=begin_again)
    sort = next((name for name, label in notices.COLUMNS.items() if label == order), "")
    rows, total = notices.find(**asked, sort=sort, offset=notices.PAGE_SIZE * (state.page - 1))
    st.text(f"{total:,} opportunities, page {state.page}, from: {rows[0]['title'] if rows else ''}")
    shown = [
        {notices.COLUMNS[name]: [row[name]] if name == "marks" and row[name] else row[name] for name in notices.COLUMNS}
        for row in rows
    ]
    chosen = st.dataframe(
        shown, hide_index=True, on_select="rerun", selection_mode="single-row", height=920,
        column_config={"Category": st.column_config.MultiselectColumn(options=["Closed"])},
    )  # fmt: skip
    left, right = st.columns(2)
    left.button("Previous page", on_click=turn, args=[-1], disabled=state.page == 1)
    right.button("Next page", on_click=turn, args=[1])
    if chosen.selection.rows:
        state.notice = rows[chosen.selection.rows[0]]["id"]
        st.rerun()


def notice(id: str) -> None:
    found = notices.read(id)
    st.title(found["title"])
    st.text(f"{found['agency']} · {found['office']}")
    st.text(f"{found['type']} · {found['number']}")
    st.text(found["description"])


if "notice" in state:
    notice(state.pop("notice"))
else:
    opportunities()
