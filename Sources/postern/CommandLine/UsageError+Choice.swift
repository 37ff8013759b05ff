import GatewayKit

extension UsageError {
  /// A key with a value that is none of a few words; leads to the nearest.
  init(_ source: String, value: String, oneOf words: [String]) {
    let near = Suggestion.near(value, among: words).map { "'\($0)'" }
    if near.isEmpty {
      self.init(source, value: value, expected: "one of \(words.joined(separator: ", "))")
    } else {
      self.init("\(source): '\(value)' is wrong" + Suggestion.question(near))
    }
  }
}
