/// The facts that all have to know who touch Sendbird's wire: by which name it goes, and what a client means that
/// writes `null`.
enum SendbirdWire {
  /// The name of the dialect.
  static let name = "sendbird"

  /// Which emojis there are: a client that keeps others asks for them anew.
  static let emojiHash = "postern-1"

  /// A client without a token writes `null`, or nothing.
  static func meant(_ value: String?) -> String? {
    value == "" || value == "null" ? nil : value
  }
}
