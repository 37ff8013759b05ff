import GatewayCore
import GatewayKit

// The actions of `postern ctl` that list sessions.

extension ControlAction {
  static let sessions = ControlAction(
    "sessions", "list the sessions", example: "sessions --user ann", options: choice + pageOptions,
    from: [HTTPField](), telling: .sessions
  ) { query, _ in .get("/sessions", query: query) }

  static let session = ControlAction(
    "session", "print one session as JSON", operand: "ID", example: "session conn_0_1"
  ) { .get("/sessions/\(PercentEncoding.encode($0.operand))") }

  @OptionList<[HTTPField]>
  private static var choice: [Option<[HTTPField]>] {
    parameter("user", "ID", "only sessions of this user")
    parameter("dialect", "NAME", "only sessions of this dialect")
  }

  /// The options that select a page of a list.
  @OptionList<[HTTPField]>
  static var pageOptions: [Option<[HTTPField]>] {
    parameter("limit", "N", "the most sessions to list, 1 to 1000 (default 100)", in: 1...1000)
    parameter("after", "ID", "only sessions after this one, for the next page")
  }

  /// Returns an option whose value is the request's parameter of the same name.
  static func parameter(
    _ name: String, _ value: String, _ help: String, _ reading: Reading<String> = .text
  ) -> Option<[HTTPField]> {
    Option(name, value, help, \.[parameter: name], reading)
  }

  /// Returns an option whose value, a whole number, is the request's parameter of the same name.
  static func parameter(
    _ name: String, _ value: String, _ help: String, in range: ClosedRange<Int>
  ) -> Option<[HTTPField]> {
    parameter(name, value, help, Reading<Int>.int(range).map { number, _ in String(number) })
  }
}

extension [HTTPField] {
  /// The first parameter of that name. Setting it appends one.
  subscript(parameter name: String) -> String? {
    get { first { $0.name == name }?.value }
    set { if let newValue { append(HTTPField(name, newValue)) } }
  }
}
