internal import GatewayKit

/// The suggestions in errors of the control port.
enum Nearest {
  /// Returns `; did you mean 'refreshed'?`. If no word is near, returns `; there is` with all words.
  static func lead(from word: String, to words: [String]) -> String {
    let near = Suggestion.near(word, among: words).map { "'\($0)'" }
    guard near.isEmpty else { return Suggestion.question(near) }
    return words.isEmpty ? "" : "; there is \(words.joined(separator: ", "))"
  }
}
