package import GatewayCore

/// One thing that `postern ctl` does: `expire`, for instance. A request to the control port, and how its answer is told.
package struct ControlAction: Sendable {
  /// The way in which the answer is told to people: sessions as a table, for instance.
  package enum Telling: Hashable, Sendable {
    case verbatim
    /// How many sessions were reached. None is a mistake in a user's name, where somebody must be.
    case reach(mustBe: Bool)
    /// As a table of sessions.
    case sessions
    /// As a verdict over the journal, of which `failed` is none to be content with.
    case verdict
    /// As lines of the journal; none to be content with where they were waited for and have not all come.
    case lines
    /// As its members, line by line, and tables.
    case table
    /// As the list of every fault there is.
    case knownFaults
    case words(String)
  }

  /// The word behind `postern ctl`.
  package let word: String
  package let summary: String
  /// What stands behind the word; empty if nothing may.
  package let operand: String
  /// What to write behind `postern ctl`.
  package let example: String
  package let flags: [Flag]
  private let usualTelling: Telling
  private let tellingAsked: (@Sendable (Arguments) throws -> Telling)?
  package let request: @Sendable (_ arguments: Arguments, _ operand: String) throws -> HTTPRequest

  package init(
    _ word: String, _ summary: String, operand: String = "", example: String? = nil, flags: [Flag] = [],
    telling: Telling = .verbatim, tellingBy tellingAsked: (@Sendable (Arguments) throws -> Telling)? = nil,
    request: @escaping @Sendable (_ arguments: Arguments, _ operand: String) throws -> HTTPRequest
  ) {
    self.word = word
    self.summary = summary
    self.operand = operand
    self.example = example ?? word
    self.flags = flags
    usualTelling = telling
    self.tellingAsked = tellingAsked
    self.request = request
  }

  /// How the answer to that command line is told to people.
  package func telling(_ arguments: Arguments) throws -> Telling { try tellingAsked?(arguments) ?? usualTelling }
}

extension HTTPRequest {
  package static func get(_ path: String, query: [HTTPField] = []) -> HTTPRequest {
    HTTPRequest(method: "GET", path: path, query: query)
  }

  /// With one JSON object.
  package static func post(_ path: String, _ members: [JSONMember] = []) -> HTTPRequest {
    HTTPRequest(
      method: "POST", path: path, headers: [HTTPField("content-type", "application/json")], body: members.object())
  }
}
