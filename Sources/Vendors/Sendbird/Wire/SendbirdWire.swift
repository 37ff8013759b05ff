/// Constants of Sendbird's wire that several files share.
enum SendbirdWire {
  /// The name of the dialect.
  static let name = "sendbird"

  /// The version of the emojis: a client with another version requests them again.
  static let emojiHash = "postern-1"

  /// Returns the value, or nil for `null`, which a client without a token may write.
  static func meant(_ value: String?) -> String? {
    value == "" || value == "null" ? nil : value
  }
}
