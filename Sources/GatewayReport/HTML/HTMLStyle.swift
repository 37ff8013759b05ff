import GatewayFleet

/// The style sheet of the HTML report, light and dark.
enum HTMLStyle {
  static let sheet = """

    :root { color-scheme: light dark; \(Palette.light.properties) }
    @media (prefers-color-scheme: dark) { :root { \(Palette.dark.properties) } }
    \(classes)

    """ + String(decoding: PackageResources.report_css, as: UTF8.self)

  /// A class for each colour of the palette: for a legend's square, for bars, for lines and for the area below a line.
  private static let classes = Palette.light.marks.map { name, _ in
    "i.\(name) { background: var(--\(name)); } g.\(name), polygon.\(name) { fill: var(--\(name)); } "
      + "polyline.\(name) { stroke: var(--\(name)); }"
  }.joined(separator: "\n")
}
