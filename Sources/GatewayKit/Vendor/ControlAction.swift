package import GatewayCore

/// An action of `postern ctl`: its request to the control port, and how the answer is printed.
package struct ControlAction: Sendable {
  /// The form in which the answer is printed.
  package enum Telling: Hashable, Sendable {
    case verbatim
    /// The number of sessions that were reached. With `user`, none is an error: that name is wrong.
    case reach(user: String?)
    /// A table of sessions.
    case sessions
    /// A verdict over the journal. `failed` is an error.
    case verdict
    /// Lines of the journal. It is an error if they were waited for and not all arrived.
    case lines
    /// The members, line by line, and tables.
    case table
    /// The parts that were read again. It is an error if something old was kept.
    case reload
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
  /// Returns the request, and the form in which its answer is printed.
  package let order: @Sendable (_ arguments: Arguments, _ call: Call) throws -> (request: HTTPRequest, telling: Telling)

  /// The operand and the space of a call, besides the action's own flags.
  package struct Call: Sendable {
    /// The operand after the word; nil if none is given.
    package let operandGiven: String?
    /// The space that `--space` names; nil for the gateway itself.
    package let space: String?

    package init(operand: String? = nil, space: String? = nil) {
      operandGiven = operand
      self.space = space
    }

    /// The operand; empty if none is given.
    package var operand: String { operandGiven ?? "" }
  }

  /// Creates an action whose flags are options of a draft.
  ///
  /// - Parameters:
  ///   - word: The word after `postern ctl`.
  ///   - summary: One line for the list of actions.
  ///   - operand: The operand after the word; empty for none.
  ///   - example: The example for the help, without `postern ctl`.
  ///   - options: The flags.
  ///   - draft: The values without any flag.
  ///   - telling: The form in which the answer is printed.
  ///   - tellingBy: The form, if the flags decide it.
  ///   - request: Returns the request for the values of the flags.
  package init<Draft: Sendable>(
    _ word: String, _ summary: String, operand: String = "", example: String? = nil, options: [Option<Draft>],
    from draft: Draft, telling: Telling = .verbatim, tellingBy: (@Sendable (Draft) -> Telling)? = nil,
    request: @escaping @Sendable (_ draft: Draft, _ call: Call) throws -> HTTPRequest
  ) {
    self.word = word
    self.summary = summary
    self.operand = operand
    self.example = example ?? word
    flags = options.map(\.flag)
    order = { arguments, call in
      var draft = draft
      try arguments.read(options, into: &draft)
      return (try request(draft, call), tellingBy?(draft) ?? telling)
    }
  }

  /// Creates an action without flags of its own.
  package init(
    _ word: String, _ summary: String, operand: String = "", example: String? = nil, telling: Telling = .verbatim,
    request: @escaping @Sendable (_ call: Call) throws -> HTTPRequest
  ) {
    self.init(
      word, summary, operand: operand, example: example, options: [Option<Void>](), from: (), telling: telling
    ) { _, call in try request(call) }
  }
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
