internal import GatewayKit

/// The words that a refusal of the control port leads to.
enum Nearest {
  /// `; did you mean 'refreshed'?`, or where nothing is near `; there is` with all that there is.
  static func lead(from word: String, to words: [String]) -> String {
    let near = Suggestion.near(word, among: words).map { "'\($0)'" }
    guard near.isEmpty else { return Suggestion.question(near) }
    return words.isEmpty ? "" : "; there is \(words.joined(separator: ", "))"
  }
}
