/// A description of a wire, drafted from a recording.
///
/// It finds the login, the renewal, the requests for a token, pings and closes by the places of tokens and the messages after
/// them. It leaves out parts that the recording does not show, so that `postern wire check` names them.
package struct WireDraft {
  package let text: String
  /// The parts that the recording does not show, for people.
  package private(set) var missing: [String] = []

  private let recording: Recording
  private let framing: DraftFraming
  private let stories: [DraftStory]
  /// The story that shows the most: the one whose messages are the draft's examples.
  private let main: DraftStory
  private let tokens: Set<String>

  /// Drafts a description. Throws a sentence if the recording shows no login.
  package init(_ recording: Recording, name: String) throws(Recording.Malformed) {
    self.recording = recording
    let tokens = Self.tokens(of: recording)
    guard !tokens.isEmpty else {
      throw Recording.Malformed(description: "it shows no token: record a login, in text or JSON")
    }
    self.tokens = tokens
    let framing = DraftFraming(recording.connections)
    self.framing = framing
    let connections = recording.connections.map { ($0, framing.units($0)) }
    let openers = DraftStory.openers(connections)
    var stories = connections.map { DraftStory($0, $1, tokens: tokens, openers: openers) }
    let renewals = DraftRenewals(recording, tokens, in: &stories)
    self.stories = stories
    let known = stories.filter { $0.accepted != nil || $0.isTokenInUpgrade }
    guard let main = known.max(by: { Self.weight($0) < Self.weight($1) }) else {
      throw Recording.Malformed(
        description: "no connection in it shows a login: record from before the client connects")
    }
    self.main = main
    var parts = DraftParts(recording, framing, stories, main, tokens, renewals)
    text = parts.text(named: name)
    missing = parts.missing
  }

  private static func weight(_ story: DraftStory) -> Int {
    (story.accepted == nil ? 0 : 1) + (story.connection.upgrade == nil ? 0 : 2)
      + 4 * min(story.renewals.count + story.requests.count + story.pushes.count, 100)
  }

  /// Returns the names of tokens: of JWTs if there are any, else what was called a token.
  private static func tokens(of recording: Recording) -> Set<String> {
    guard recording.tokens.isEmpty else { return Set(recording.tokens.keys) }
    var names: Set<String> = []
    let texts =
      recording.connections.flatMap { connection in
        connection.messages.map(\.text)
          + ((connection.upgrade?.query ?? []) + (connection.upgrade?.headers ?? [])).map(\.value)
      }
    for text in texts {
      for word in DraftText.words(of: text).lazy.map({ Substring($0) })
      where word.utf8.starts(with: "token-".utf8) && DraftText.isName(word) {
        names.insert(String(word))
      }
    }
    return names
  }
}
