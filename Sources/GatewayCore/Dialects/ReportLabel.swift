/// A report's label for a peer's text, e.g. `jwt_expired` for `jwt expired`. The text is shortened and cleaned, so that
/// a peer cannot flood the report.
package enum ReportLabel {
  package static let lengthMax = 40

  /// Returns the label: at most 40 characters of `A-Za-z0-9_.-`.
  package static func cleaned(_ text: String) -> String {
    var label = ""
    for scalar in text.unicodeScalars.prefix(lengthMax) {
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      label.unicodeScalars.append(isPlain || "_.-".unicodeScalars.contains(scalar) ? scalar : "_")
    }
    return label
  }
}
