import GatewayKit

extension UsageError {
  /// Creates the error for a value that is none of `words`. It suggests the nearest word.
  init(_ source: String, value: String, oneOf words: [String]) {
    let near = Suggestion.near(value, among: words).map { "'\($0)'" }
    if near.isEmpty {
      self.init(source, value: value, expected: "one of \(words.joined(separator: ", "))")
    } else {
      self.init("\(source): '\(value)' is wrong" + Suggestion.question(near))
    }
  }
}
