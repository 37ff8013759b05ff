import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayWires

// The actions of `postern ctl` on the spaces that a gateway hosts. `--space` names the space to ask.

extension ControlAction {
  static let spaces = ControlAction(
    "spaces", "the spaces that the gateway hosts", flags: pageFlags, telling: .table
  ) { arguments, _ in .get("/spaces", query: try page(arguments)) }

  static let space = ControlAction(
    "space", "make a space and say where it is, look at one, or end it", operand: "create|show|end",
    example: "space create --name t17 --set refresh-timeout=2s --set any-refresh-timeout=true",
    flags: [
      Flag("name", "NAME", "what it is called: small letters, digits and - (default: chosen for it)"),
      Flag("port", "N", "where it listens (default: a free port)"),
      Flag("frozen", nil, "its time stands still until it is moved"),
      Flag("seed", "N", "the seed of its chance"),
      Flag("wall", "DATE", "its time of day at first, as 2000-01-01T00:00:00Z (default: the gateway's)"),
      Flag("idle", "DURATION", "how long it is kept that nobody uses (default 10m)"),
      Flag(
        "set", "OPTION=VALUE", "an option of postern serve, for this space; a file is read here, and its content sent",
        repeats: true),
    ], telling: .table
  ) { arguments, verb in
    switch verb {
    case "create": return try .post("/spaces", try order(arguments))
    case "show": return .get(try path(arguments, "space show"))
    case "end":
      return HTTPRequest(method: "DELETE", path: try path(arguments, "space end"))
    default: throw UsageError("ctl space: '\(verb)' is none of create, show and end")
    }
  }

  static let clock = ControlAction(
    "clock", "the time of a space; with --wall, have its time of day be another", example: "clock --space t17",
    flags: [Flag("wall", "DATE", "the time of day from now on, as 2000-01-01T00:00:00Z, from 1970 to 2200")],
    telling: .table
  ) { arguments, _ in
    let path = try path(arguments, "clock") + "clock"
    return try arguments.string("wall").map { try .post(path, ClockOrder(wall: $0)) } ?? .get(path)
  }

  static let advance = ControlAction(
    "advance", "move the time of a space on, and say who has not answered what that led to",
    example: "advance --space t17 --by 1d",
    flags: [
      Flag("by", "DURATION", "how far"),
      Flag("patience", "DURATION", "how long clients may take to answer, in real time (default 1s)"),
      Flag("wall", "moves|stays", "whether the time of day moves with it (default moves)"),
      Flag("stop-at", "refresh_required", "stop where the first token is asked for"),
    ], telling: .table
  ) { arguments, _ in
    guard let duration = try arguments.duration("by") else { throw UsageError("ctl advance needs --by DURATION") }
    let order = AdvanceOrder(
      byS: duration.inSeconds, patienceMs: try arguments.duration("patience").map { Int($0.milliseconds) },
      wall: arguments.string("wall"), stopAt: arguments.string("stop-at"))
    return try .post(try path(arguments, "advance") + "clock/advance", order)
  }

  /// Returns the path of the space itself: `--space` adds its prefix later. Throws if no space is named.
  private static func path(_ arguments: Arguments, _ action: String) throws -> String {
    guard arguments.string("space") != nil else { throw UsageError("ctl \(action) needs --space NAME") }
    return "/"
  }

  private static func order(_ arguments: Arguments) throws -> MakeSpaceOrder {
    guard arguments.string("space") == nil else {
      throw UsageError("ctl space create makes a space of the gateway's: --name says what it is called")
    }
    let settings = try settings(arguments)
    return MakeSpaceOrder(
      name: arguments.string("name"), port: try arguments.int("port", in: 0...65_535),
      frozen: try arguments.isOn("frozen") ? true : nil, seed: try arguments.int("seed", in: 0 ... .max),
      wall: arguments.string("wall"), idleS: try arguments.duration("idle")?.inSeconds, settings: settings)
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
  static func settings(_ arguments: Arguments) throws -> JSONFragment? {
    var names: [Name] = []
    var values: [Name: [String]] = [:]
    for value in arguments.values("set") {
      let parts = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw UsageError(value.source, value: value.text, expected: "an option's name, = and its value")
      }
      let name = Name(parts[0])
      if values[name] == nil { names.append(name) }
      values[name, default: []].append(String(parts[1]))
    }
    let members = try names.map { name -> JSONMember in
      let texts = try (values[name] ?? []).map { try setting($0, of: name).json }
      return JSONMember(name.text, json: texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ","))]")
    }
    return members.isEmpty ? nil : JSONFragment(String(decoding: members.object(), as: UTF8.self))
  }
}
