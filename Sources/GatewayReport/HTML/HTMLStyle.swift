import GatewayFleet

/// The style sheet of the HTML report, in light and in dark: a threshold that failed is red, for instance.
enum HTMLStyle {
  static let sheet = """

    :root { color-scheme: light dark; --ground: #fbfbfd; --card: #ffffff; --text: #1c2230; --faint: #667085;
      --rule: #e4e7ec; --one: #2f6fde; --two: #f0a23b; --three: #d64550; --pass: #16794b; --fail: #c02633; }
    @media (prefers-color-scheme: dark) {
      :root { --ground: #11151c; --card: #1a202a; --text: #e6e9ef; --faint: #98a2b3; --rule: #2d3542;
        --one: #6ea3ff; --two: #e8a33d; --three: #ff7b85; --pass: #55c98d; --fail: #ff7b85; }
    }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 1180px; padding: 28px 20px 40px; background: var(--ground); color: var(--text);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    h1 { margin: 0 0 4px; font-size: 26px; letter-spacing: -0.01em; }
    h2 { margin: 0 0 10px; font-size: 16px; }
    header p { margin: 0; color: var(--faint); }
    header .caveat { margin-top: 8px; color: var(--fail); font-weight: 600; }
    h1 b { margin-left: 6px; padding: 2px 12px; border-radius: 99px; font-size: 14px; vertical-align: 5px;
      border: 1.5px solid currentColor; }
    .pass { color: var(--pass); } .fail { color: var(--fail); }
    section { margin-top: 22px; padding: 16px 18px; background: var(--card); border: 1px solid var(--rule);
      border-radius: 12px; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); gap: 16px; }
    .tiles b { display: block; font-size: 24px; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; }
    .tiles span { color: var(--faint); font-size: 13px; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 22px 26px; }
    figure { margin: 0; } svg { display: block; width: 100%; height: auto; }
    figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 4px 16px; margin-bottom: 6px;
      font-weight: 600; font-size: 14px; }
    .legend { display: flex; gap: 14px; font-weight: 400; color: var(--faint); }
    .legend i { display: inline-block; width: 10px; height: 10px; margin-right: 5px; border-radius: 3px; }
    i.one { background: var(--one); } i.two { background: var(--two); } i.three { background: var(--three); }
    g.one { fill: var(--one); } g.two { fill: var(--two); } g.three { fill: var(--three); }
    polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
    polyline.one { stroke: var(--one); } polyline.two { stroke: var(--two); } polyline.three { stroke: var(--three); }
    polygon.area { opacity: 0.16; } polygon.one { fill: var(--one); }
    .grid { stroke: var(--rule); } .mark { stroke: var(--faint); stroke-dasharray: 3 4; }
    .axis { fill: var(--faint); font-size: 12px; font-variant-numeric: tabular-nums; }
    .middle { text-anchor: middle; } .end { text-anchor: end; }
    .scroll { overflow-x: auto; }
    table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
    th { color: var(--faint); font-weight: 500; font-size: 13px; text-align: left; }
    th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
    tbody tr:last-child td { border-bottom: 0; }
    .number { text-align: right; padding: 5px 0 5px 14px; white-space: nowrap; }
    .value { white-space: nowrap; }
    dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 2px 18px; margin: 12px 0 0; }
    dl, dt, dd { font-size: 13px; color: var(--faint); } dt, dd { display: inline; margin: 0; }
    dt { font-weight: 600; } dt::after { content: ": "; }
    footer { margin-top: 22px; color: var(--faint); font-size: 13px; }

    """
}
