/// A fault of a member of a received JSON object. It never contains the received value.
package enum FieldFault: Hashable, Sendable {
  case missing
  /// An empty text where one is required.
  case empty
  case notText(lengthMax: Int)
  /// A text longer than the limit, in the units that the vendor counts.
  case tooLong(lengthMax: Int)
  case notFlag
  /// Not a whole number of 64 bits, in the forms that the vendor accepts, or outside the range.
  case notInteger(ClosedRange<Int64>)
  case notObject
  case notArray(countMax: Int)
  case tooMany(countMax: Int)
  /// An array of texts that has another element.
  case notTexts
}

/// A vendor's error texts for faults of a member, e.g. code 4 with the member in `exception_fields`.
package protocol FieldWords {
  associatedtype Failure: Error

  /// Returns the length of a text in the units that the vendor counts: bytes or characters.
  static func length(of text: String) -> Int

  /// Returns the error for the member `name`. `path` also has the names of the objects around it.
  static func failure(_ fault: FieldFault, _ name: String, path: String) -> Failure
}
