/// The style sheet of the dashboard, in light and in dark, from 400 px on.
enum DashboardStyle {
  static let sheet = """
    :root { color-scheme: light dark; --ground: #fbfbfd; --card: #ffffff; --text: #1c2230; --faint: #5b6577;
      --rule: #e4e7ec; --good: #2f6fde; --asked: #b96f0b; --cut: #c8323e; --token: #16807a; --wave: #7a4fc0;
      --pass: #16794b; --fail: #c02633; }
    @media (prefers-color-scheme: dark) {
      :root { --ground: #11151c; --card: #1a202a; --text: #e6e9ef; --faint: #a3adbc; --rule: #2d3542;
        --good: #6ea3ff; --asked: #e8a33d; --cut: #ff7b85; --token: #4cc3ba; --wave: #b795f2; --pass: #55c98d; --fail: #ff7b85; }
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
    #state[data-state=live] { color: var(--pass); }
    #state[data-state=broken], #state[data-state=draining] { color: var(--fail); }
    .stale main { filter: grayscale(1); }
    .stale section { border: 2px dashed var(--faint); }
    section { margin-top: 16px; padding: 14px 16px; background: var(--card); border: 1px solid var(--rule);
      border-radius: 12px; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(136px, 1fr)); gap: 12px; }
    .tiles p { min-width: 0; margin: 0; }
    .tiles b { display: block; font-size: 22px; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; }
    .tiles span, figcaption, .empty, .axis { color: var(--faint); font-size: 13px; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 16px 24px; }
    figure { margin: 12px 0 0; min-width: 0; }
    .plot { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: 6px; }
    .scale { display: flex; flex-direction: column; justify-content: space-between; margin: 0; color: var(--faint); font-size: 12px;
      line-height: 1; text-align: right; font-variant-numeric: tabular-nums; }
    .chart { height: 112px; border-left: 1px solid var(--faint); border-bottom: 1px solid var(--faint); }
    .plot .axis { grid-column: 2; }
    .plot.none { display: block; }
    .plot.none .chart { height: 12px; border-left: 0; }
    .plot.none .scale, .plot.none .axis { display: none; }
    svg { display: block; width: 100%; height: 100%; }
    \(marks)
    i { display: inline-block; width: 10px; height: 10px; margin-right: 4px; border-radius: 3px; }
    .axis { display: flex; justify-content: space-between; margin: 2px 0 0; font-variant-numeric: tabular-nums; }
    ol { margin: 0; padding: 0; list-style: none; }
    #waves li, #spreads li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 6px 16px;
      padding: 8px 0; border-top: 1px solid var(--rule); }
    #waves span, #spreads span { flex: 1 1 220px; }
    #events { max-height: 220px; overflow-y: auto; font-size: 13px; font-variant-numeric: tabular-nums; }
    #events time { margin-right: 8px; color: var(--faint); }
    #events li.bad { color: var(--fail); }
    .empty { margin: 6px 0 0; }
    #said, .said { min-height: 1.5em; margin: 8px 0 0; font-weight: 600; }
    button, input { padding: 6px 14px; border: 1px solid var(--faint); border-radius: 8px; background: var(--ground);
      color: inherit; font: inherit; }
    button { cursor: pointer; }
    button[aria-disabled=true] { opacity: 0.6; cursor: default; }
    :focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
    .head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 6px 16px; }
    .head h2 { margin: 0; }
    .scroll { margin-top: 6px; overflow-x: auto;
      background: linear-gradient(to right, var(--card) 30%, transparent) left / 40px 100% no-repeat local,
        linear-gradient(to left, var(--card) 30%, transparent) right / 40px 100% no-repeat local,
        linear-gradient(to right, var(--faint), transparent) left / 8px 100% no-repeat scroll,
        linear-gradient(to left, var(--faint), transparent) right / 8px 100% no-repeat scroll; }
    #sessions th:nth-child(2), #sessions td:nth-child(2) { text-align: left; }
    #sessions-hint { margin: 0; }
    td button { margin-right: 6px; padding: 3px 10px; font-size: 13px; }
    button.link { padding: 0; border: 0; background: none; text-decoration: underline; text-underline-offset: 3px; }
    table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
    th { color: var(--faint); font-weight: 500; font-size: 13px; text-align: right; }
    th, td { padding: 5px 0 5px 14px; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
    th:first-child { padding-left: 0; text-align: left; }
    tbody th { color: inherit; font-size: 15px; }
    tbody tr:last-child > * { border-bottom: 0; }
    .login { max-width: 380px; margin: 12vh auto 0; }
    .login form { display: grid; gap: 10px; margin-top: 16px; }
    .login p { margin: 0; color: var(--fail); }
    [hidden] { display: none; }

    """

  /// The fill colours of bars and their legends. One colour has one meaning.
  private static let marks = ["good", "asked", "cut", "token", "wave"].map {
    "path.\($0) { fill: var(--\($0)); } i.\($0) { background: var(--\($0)); }"
  }.joined(separator: "\n    ")
}
