/// A name that a report gives to what a peer said: `jwt_expired`, where it said `jwt expired`. Words of a peer's are
/// cut and cleaned, so that a report cannot be flooded.
package enum ReportLabel {
  package static let lengthMax = 40

  /// What may stand in a report: 40 characters of `A-Za-z0-9_.-`.
  package static func cleaned(_ text: String) -> String {
    var label = ""
    for scalar in text.unicodeScalars.prefix(lengthMax) {
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      label.unicodeScalars.append(isPlain || "_.-".unicodeScalars.contains(scalar) ? scalar : "_")
    }
    return label
  }
}
