/// A summary of a client's calls to its provider and their answers, which a failure reports with a hint where to look.
struct ProviderStory: Sendable {
  /// A line of the journal about the provider.
  struct Line: Sendable {
    let number: Int
    let kind: String
  }

  /// The kinds of lines about the provider.
  static let kinds = ["provider_asked", "provider_minted", "provider_failed", "provider_refused"]

  /// The number of the line after which the summary begins.
  let beginning: Int
  let lines: [Line]

  var text: String {
    guard let last = lines.last else {
      return
        "its provider was not asked after line \(beginning): look at what sets the client's request for a token off"
    }
    let (asked, minted) = (count("provider_asked"), count("provider_minted"))
    let failed = count("provider_failed") + count("provider_refused")
    let told =
      "after line \(beginning) its provider was asked \(Self.times(asked)), failed \(Self.times(failed)) and gave "
      + "\(minted == 1 ? "1 token" : "\(minted) tokens"), last in line \(last.number)"
    switch last.kind {
    case "provider_minted": return "\(told): look at what the client does with the token that it was given"
    case "provider_asked": return "\(told), which has no answer: look at how long the client waits for one"
    default: return "\(told): look at what the client does when its request for a token fails"
    }
  }

  private func count(_ kind: String) -> Int { lines.count { $0.kind == kind } }

  private static func times(_ count: Int) -> String {
    switch count {
    case 1: "once"
    case 2: "twice"
    default: "\(count) times"
    }
  }
}
