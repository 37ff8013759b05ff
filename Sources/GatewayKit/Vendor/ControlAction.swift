package import GatewayCore

/// An action of `postern ctl`: its request to the control port, and how the answer is printed.
package struct ControlAction: Sendable {
  /// The form in which the answer is printed.
  package enum Telling: Hashable, Sendable {
    case verbatim
    /// The number of sessions that were reached. With `mustBe`, none is an error: the user's name is wrong.
    case reach(mustBe: Bool)
    /// A table of sessions.
    case sessions
    /// A verdict over the journal. `failed` is an error.
    case verdict
    /// Lines of the journal. It is an error if they were waited for and not all arrived.
    case lines
    /// The members, line by line, and tables.
    case table
    /// The list of all faults.
    case knownFaults
    case words(String)
  }

  /// The word after `postern ctl`.
  package let word: String
  package let summary: String
  /// The operand after the word; empty if there is none.
  package let operand: String
  /// The example for the help, without `postern ctl`.
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

  /// Returns the form in which the answer to that command line is printed.
  package func telling(_ arguments: Arguments) throws -> Telling { try tellingAsked?(arguments) ?? usualTelling }
}

extension HTTPRequest {
  package static func get(_ path: String, query: [HTTPField] = []) -> HTTPRequest {
    HTTPRequest(method: "GET", path: path, query: query)
  }

  /// Returns a POST request with one JSON object.
  package static func post(_ path: String, _ members: [JSONMember] = []) -> HTTPRequest {
    HTTPRequest(
      method: "POST", path: path, headers: [HTTPField("content-type", "application/json")], body: members.object())
  }
}
