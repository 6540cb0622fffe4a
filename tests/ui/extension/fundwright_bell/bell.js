export default ({ React }) => ({
    BellPull({ label, onPulled }) {
        const [times, setTimes] = React.useState(1);
        return (React.createElement("div", { className: "fw-row" },
            React.createElement("button", { type: "button", className: "fw-button fw-button-contained", onClick: () => onPulled?.({ times }) }, label),
            React.createElement("input", { type: "range", "aria-label": "Times", min: 1, max: 5, value: times, onChange: (e) => setTimes(e.target.valueAsNumber) })));
    },
});
