"""The page in Streamlit. Started by the benchmark."""

import streamlit as st

st.session_state.setdefault("count", 0)
st.session_state.setdefault("tick", 0)


def add() -> None:
    st.session_state.count += 1


def turn() -> None:
    st.session_state.tick += 1


st.write("Counter and table")
st.button("Add", on_click=add)
st.text(f"Count: {st.session_state.count}")
echo = st.text_input("Echo")
st.text(f"Echo: {echo}")
st.button("Turn", on_click=turn)
tick = st.session_state.tick
st.table({f"Column {column}": [f"{row}.{column}.{tick}" for row in range(100)] for column in range(8)})
