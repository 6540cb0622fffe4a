import type { BellPullProps, Kit } from "./widgets";

export default ({ React }: Kit) => ({
  BellPull({ label, onPulled }: BellPullProps) {
    const [times, setTimes] = React.useState(1);
    return (
      <div className="fw-row">
        <button type="button" className="fw-button fw-button-contained" onClick={() => onPulled?.({ times })}>
          {label}
        </button>
        <input type="range" aria-label="Times" min={1} max={5} value={times} onChange={(e) => setTimes(e.target.valueAsNumber)} />
      </div>
    );
  },
});
