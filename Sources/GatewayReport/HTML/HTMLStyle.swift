import GatewayFleet

/// The style sheet of the HTML report, light and dark.
enum HTMLStyle {
  static let sheet = """

    :root { color-scheme: light dark; \(Palette.light.properties) }
    @media (prefers-color-scheme: dark) { :root { \(Palette.dark.properties) } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 1180px; padding: 28px 20px 40px; background: var(--ground); color: var(--text);
      overflow-wrap: break-word;
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
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 16px; }
    .tiles div { min-width: 0; }
    .tiles b { display: block; font-size: 22px; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; }
    .tiles span { color: var(--faint); font-size: 13px; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 22px 26px; }
    figure { margin: 0; } svg { display: block; width: 100%; height: auto; }
    figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 4px 16px; margin-bottom: 6px;
      font-weight: 600; font-size: 14px; }
    .legend { display: flex; flex-wrap: wrap; gap: 2px 14px; font-weight: 400; color: var(--faint); }
    .legend i { display: inline-block; width: 10px; height: 10px; margin-right: 5px; border-radius: 3px; }
    \(classes)
    polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
    polygon.area { opacity: 0.16; }
    .grid { stroke: var(--rule); } .mark { stroke: var(--faint); stroke-dasharray: 3 4; }
    .axis { fill: var(--faint); font-size: 13px; font-variant-numeric: tabular-nums; }
    @media (max-width: 560px) { .axis { font-size: 19px; } }
    .middle { text-anchor: middle; } .end { text-anchor: end; }
    .scroll { overflow-x: auto;
      background: linear-gradient(to right, var(--card) 30%, transparent) left / 40px 100% no-repeat local,
        linear-gradient(to left, var(--card) 30%, transparent) right / 40px 100% no-repeat local,
        linear-gradient(to right, var(--faint), transparent) left / 8px 100% no-repeat scroll,
        linear-gradient(to left, var(--faint), transparent) right / 8px 100% no-repeat scroll; }
    .scroll:focus-visible { outline: 3px solid var(--good); outline-offset: 2px; }
    summary { cursor: pointer; font-size: 16px; font-weight: 700; }
    summary + * { margin-top: 10px; }
    .hint { display: none; margin: 6px 0 0; color: var(--faint); font-size: 13px; }
    @media (max-width: 800px) { .hint { display: block; } section { padding: 14px 12px; } }
    table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
    th { color: var(--faint); font-weight: 500; font-size: 13px; text-align: left; }
    th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
    tbody tr:last-child td { border-bottom: 0; }
    .number { text-align: right; padding: 5px 0 5px 14px; white-space: nowrap; }
    .value { white-space: nowrap; }
    dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 2px 18px; margin: 12px 0 0; }
    dl, dt, dd { font-size: 13px; color: var(--faint); } dt, dd { display: inline; margin: 0; }
    dt { font-weight: 600; } dt::after { content: ": "; }
    footer { margin-top: 22px; color: var(--faint); font-size: 13px; }

    """

  /// A class for each colour of the palette: for a legend's square, for bars, for lines and for the area below a line.
  private static let classes = Palette.light.marks.map { name, _ in
    "i.\(name) { background: var(--\(name)); } g.\(name), polygon.\(name) { fill: var(--\(name)); } "
      + "polyline.\(name) { stroke: var(--\(name)); }"
  }.joined(separator: "\n    ")
}
