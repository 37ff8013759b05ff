import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayWires

// The actions of `postern ctl` on the spaces that a gateway hosts. `--space` names the space to ask.

extension ControlAction {
  static let spaces = ControlAction(
    "spaces", "list the spaces that the gateway hosts", options: pageOptions, from: [HTTPField](), telling: .table
  ) { query, _ in .get("/spaces", query: query) }

  private struct Making: Sendable {
    var order = MakeSpaceOrder()
    var isFrozen = false
    var settings: [Arguments.Value] = []
  }

  static let space = ControlAction(
    "space", "create a space and print its addresses, show one, or end it", operand: "create|show|end",
    example: "space create --name t17 --set refresh-timeout=2s --set any-refresh-timeout=true", options: making,
    from: Making(), telling: .table
  ) { draft, call in
    switch call.operand {
    case "create": return try .post("/spaces", try order(draft, call))
    case "show": return .get(try path(call, "space show"))
    case "end":
      return HTTPRequest(method: "DELETE", path: try path(call, "space end"))
    default: throw UsageError("ctl space: '\(call.operand)' is none of create, show and end")
    }
  }

  @OptionList<Making>
  private static var making: [Option<Making>] {
    Option(
      "name", "NAME", "the space's name: lowercase letters, digits and - (default: a new name)", \.order.name, .text)
    Option(
      "upstream", "URL", "the gateway that a route of postern proxy --spaces leads to (default: that of its --to)",
      \.order.upstream, .text)
    Option("port", "N", "the port of the space (default: a free port)", \.order.port, .int(0...65_535))
    Option("frozen", "stop the space's clock; postern ctl advance moves it", \.isFrozen)
    Option("seed", "N", "the seed of the space's random numbers", \.order.seed, .int(0 ... .max))
    Option(
      "wall", "DATE", "the space's time of day at its start, e.g. 2000-01-01T00:00:00Z (default: the gateway's)",
      \.order.wall, .text)
    Option(
      "idle", "DURATION", "how long an unused space is kept (default 10m)", \.order.idleS,
      Reading<Duration>.duration.map { idle, _ in idle.inSeconds })
    Option(
      "set", "OPTION=VALUE",
      "an option of postern serve, or of postern proxy, for this space; files are read here, and their content is sent",
      each: \.settings)
  }

  static let clock = ControlAction(
    "clock", "print the time of a space; --wall sets its time of day", example: "clock --space t17",
    options: [
      Option(
        "wall", "DATE", "the space's new time of day, e.g. 2000-01-01T00:00:00Z, from 1970 to 2200", \.self, .text)
    ], from: String?.none, telling: .table
  ) { wall, call in
    let path = try path(call, "clock") + "clock"
    return try wall.map { try .post(path, ClockOrder(wall: $0)) } ?? .get(path)
  }

  static let advance = ControlAction(
    "advance", "advance the time of a space, and list clients that have not answered",
    example: "advance --space t17 --by 1d", options: advancing, from: Advancing(), telling: .table
  ) { draft, call in
    guard let duration = draft.by else { throw UsageError("ctl advance needs --by DURATION") }
    var order = draft.order
    order.byS = duration.inSeconds
    return try .post(try path(call, "advance") + "clock/advance", order)
  }

  private struct Advancing: Sendable {
    var by: Duration?
    var order = AdvanceOrder(byS: 0)
  }

  @OptionList<Advancing>
  private static var advancing: [Option<Advancing>] {
    Option("by", "DURATION", "how far to advance the space's time", \.by, .duration)
    Option(
      "patience", "DURATION", "how long clients may take to answer after an advance, in real time (default 1s)",
      \.order.patienceMs,
      .milliseconds)
    Option("wall", "moves|stays", "whether the space's time of day moves too (default moves)", \.order.wall, .text)
    Option("stop-at", "refresh_required", "stop the advance at the first refresh request", \.order.stopAt, .text)
  }

  /// Returns the path of the space itself: `--space` adds its prefix later. Throws if no space is named.
  private static func path(_ call: Call, _ action: String) throws -> String {
    guard call.space != nil else { throw UsageError("ctl \(action) needs --space NAME") }
    return "/"
  }

  private static func order(_ draft: Making, _ call: Call) throws -> MakeSpaceOrder {
    guard call.space == nil else {
      throw UsageError("ctl space create makes a space of the gateway's: --name says what it is called")
    }
    var order = draft.order
    order.frozen = draft.isFrozen ? true : nil
    order.settings = try settings(draft.settings)
    return order
  }

  /// Returns a value as JSON. A file that it names is read here: the gateway may be on another machine, and opens no files
  /// for it.
  private static func setting(_ text: String, of name: Name) throws -> JSONMember {
    guard let form = ServeFlags.all.first(where: { Name($0.name) == name })?.file else { return JSONMember("", text) }
    let source = "--set \(name)"
    var members: [JSONMember] = []
    var path = text
    if form == .named {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { throw UsageError(source, value: text, expected: "a name, = and a file") }
      members.append(JSONMember("name", parts[0]))
      path = parts[1]
    } else if name == Name("wire"), WireFile.shipped(text) != nil {
      return JSONMember("", text)
    }
    let bytes = try InputFile.readLocal(path, of: source, sizeMax: DescriptionFile.sizeMax)
    guard let content = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("\(source): '\(path)' is not text in UTF-8")
    }
    members.append(JSONMember("content", content))
    return JSONMember("", json: String(decoding: members.object() as [UInt8], as: UTF8.self))
  }

  /// Returns the options as a JSON object; nil if there are none. An option that is given several times has an array.
  ///
  /// - Parameter given: The values of `--set`.
  static func settings(_ given: [Arguments.Value]) throws -> JSONFragment? {
    let members = try members(given)
    return members.isEmpty ? nil : JSONFragment(String(decoding: members.object(), as: UTF8.self))
  }

  /// Returns the options as members of a JSON object.
  ///
  /// - Parameter given: The values of `--set`.
  static func members(_ given: [Arguments.Value]) throws -> [JSONMember] {
    var names: [Name] = []
    var values: [Name: [String]] = [:]
    for value in given {
      let parts = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw UsageError(value.source, value: value.text, expected: "an option's name, = and its value")
      }
      let name = Name(parts[0])
      if values[name] == nil { names.append(name) }
      values[name, default: []].append(String(parts[1]))
    }
    return try names.map { name -> JSONMember in
      let texts = try (values[name] ?? []).map { try setting($0, of: name).json }
      return JSONMember(name.text, json: texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ","))]")
    }
  }
}
