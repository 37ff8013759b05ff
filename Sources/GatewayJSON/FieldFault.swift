/// A fault of a member of a JSON object that a peer has sent: it is missing, for instance, or no whole number. Never
/// says what was sent.
package enum FieldFault: Hashable, Sendable {
  case missing
  /// An empty text where there must be one.
  case empty
  case notText(lengthMax: Int)
  /// More than so many, in what the vendor counts text in.
  case tooLong(lengthMax: Int)
  case notFlag
  /// No whole number of 64 bits as the vendor takes them, or outside the range.
  case notInteger(ClosedRange<Int64>)
  case notObject
  case notArray(countMax: Int)
  case tooMany(countMax: Int)
  /// An element of an array that is to be of texts is none.
  case notTexts
}

/// The words that a vendor has for what is wrong with a member: code 4 with the member in `exception_fields`, for
/// instance.
package protocol FieldWords {
  associatedtype Failure: Error

  /// How long a text is, in what the vendor counts: bytes, or characters.
  static func length(of text: String) -> Int

  /// What the peer is told of the member `name`; `path` has the names of the objects around it too.
  static func failure(_ fault: FieldFault, _ name: String, path: String) -> Failure
}
