/// The style sheet of the dashboard, in light and in dark, from 400 px on: red, for instance, is what needs somebody.
enum DashboardStyle {
  static let sheet = """
    :root { color-scheme: light dark; --ground: #fbfbfd; --card: #ffffff; --text: #1c2230; --faint: #5b6577;
      --rule: #e4e7ec; --one: #2f6fde; --two: #b96f0b; --three: #d64550; --good: #16794b; --bad: #c02633; }
    @media (prefers-color-scheme: dark) {
      :root { --ground: #11151c; --card: #1a202a; --text: #e6e9ef; --faint: #a3adbc; --rule: #2d3542;
        --one: #6ea3ff; --two: #e8a33d; --three: #ff7b85; --good: #55c98d; --bad: #ff7b85; }
    }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 1180px; padding: 20px 16px 40px; background: var(--ground); color: var(--text);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 16px; }
    header p { flex: 1 1 240px; margin: 0; color: var(--faint); }
    nav { display: flex; gap: 8px; }
    h1 { margin: 0; font-size: 24px; letter-spacing: -0.01em; }
    h2 { margin: 0 0 10px; font-size: 16px; }
    h3 { margin: 16px 0 6px; font-size: 14px; }
    #state { padding: 2px 12px; border: 1.5px solid currentColor; border-radius: 99px; font-size: 13px; white-space: nowrap; }
    #state[data-state=live] { color: var(--good); }
    #state[data-state=broken], #state[data-state=draining] { color: var(--bad); }
    .stale main { opacity: 0.55; }
    section { margin-top: 16px; padding: 14px 16px; background: var(--card); border: 1px solid var(--rule);
      border-radius: 12px; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(136px, 1fr)); gap: 12px; }
    .tiles p { margin: 0; }
    .tiles b { display: block; font-size: 22px; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; }
    .tiles span, figcaption, .empty, .axis { color: var(--faint); font-size: 13px; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 16px 24px; }
    figure { margin: 12px 0 0; min-width: 0; }
    .chart { height: 112px; border-bottom: 1px solid var(--rule); }
    .chart.none { height: 12px; }
    svg { display: block; width: 100%; height: 100%; }
    path.one { fill: var(--one); } path.two { fill: var(--two); } path.three { fill: var(--three); }
    i.one, i.two, i.three { display: inline-block; width: 10px; height: 10px; margin-right: 4px; border-radius: 3px; }
    i.one { background: var(--one); } i.two { background: var(--two); } i.three { background: var(--three); }
    .axis { display: flex; justify-content: space-between; margin: 2px 0 0; font-variant-numeric: tabular-nums; }
    ol { margin: 0; padding: 0; list-style: none; }
    #waves li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 6px 16px;
      padding: 8px 0; border-top: 1px solid var(--rule); }
    #waves span { flex: 1 1 220px; }
    #events { max-height: 220px; overflow-y: auto; font-size: 13px; font-variant-numeric: tabular-nums; }
    #events time { margin-right: 8px; color: var(--faint); }
    #events li.bad { color: var(--bad); }
    .empty { margin: 6px 0 0; }
    #said { min-height: 1.5em; margin: 8px 0 0; font-weight: 600; }
    button, input { padding: 6px 14px; border: 1px solid var(--faint); border-radius: 8px; background: var(--ground);
      color: inherit; font: inherit; }
    button { cursor: pointer; }
    button[aria-disabled=true] { opacity: 0.6; cursor: default; }
    :focus-visible { outline: 3px solid var(--one); outline-offset: 2px; }
    .scroll { overflow-x: auto; }
    table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
    th { color: var(--faint); font-weight: 500; font-size: 13px; text-align: right; }
    th, td { padding: 5px 0 5px 14px; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
    th:first-child { padding-left: 0; text-align: left; }
    tbody th { color: inherit; font-size: 15px; }
    tbody tr:last-child > * { border-bottom: 0; }
    .login { max-width: 380px; margin: 12vh auto 0; }
    .login form { display: grid; gap: 10px; margin-top: 16px; }
    .login p { margin: 0; color: var(--bad); }
    [hidden] { display: none; }

    """
}
