internal import GatewayCore
internal import GatewayJSON
internal import GatewaySpace

extension MakeSpaceOrder {
  private static let idleTimes = 1...604_800.0

  /// Reads the order of a request. Its settings are not parsed yet. Throws the order's error.
  static func space(_ request: HTTPRequest) throws(GatewayError) -> SpaceOrder {
    let body: MakeSpaceOrder = try ControlAnswer.order(request)
    var order = SpaceOrder()
    order.name = body.name
    order.upstream = body.upstream
    order.port = body.port ?? 0
    order.isFrozen = body.frozen ?? false
    guard (0...65_535).contains(order.port) else { throw .invalidParameter.detailed("port must be 0 to 65535") }
    if let seed = body.seed {
      guard seed >= 0 else { throw .invalidParameter.detailed("seed must be 0 or more") }
      order.seed = UInt64(seed)
    }
    if let text = body.wall { order.wall = try ClockRoutes.wall(text) }
    if let seconds = body.idleS {
      guard idleTimes.contains(seconds) else { throw .invalidParameter.detailed("idle_s must be 1 to 604800") }
      order.idleTime = .saturating(seconds: seconds)
    }
    if let json = body.settings?.text { order.settings = try settings(json) }
    return order
  }

  private static func settings(_ json: String) throws(GatewayError) -> [SpaceOrder.Setting] {
    guard let members = (try? JSONDocument.parse(Array(json.utf8)))?.root.members else {
      throw .invalidParameter.detailed("settings must be an object of options of postern serve, or of postern proxy")
    }
    var settings: [SpaceOrder.Setting] = []
    for (name, value) in members {
      let values = (value.elements ?? [value]).compactMap { value -> SpaceOrder.Value? in
        file(value) ?? text(value).map { .text($0) }
      }
      guard values.count == value.elements?.count ?? 1 else {
        throw .invalidParameter.detailed(
          "settings: a value is text, a number, true, false, {\"content\": …} where the option takes a file, or an array of them"
        )
      }
      settings.append(SpaceOrder.Setting(name, values: values, isArray: value.kind == .array))
    }
    return settings
  }

  /// Returns the value given as a file's content: `{"name"?: …, "content": …}` or `{"name"?: …, "file": …}`; nil for
  /// any other form. If the content is an object, it is used as JSON text.
  private static func file(_ value: JSONView) -> SpaceOrder.Value? {
    guard let members = value.members, members.count == (value["name"] == nil ? 1 : 2) else { return nil }
    if let name = value["name"], name.string == nil { return nil }
    let name = value["name"]?.string
    if let content = value["content"] {
      return (content.string ?? (content.isObject ? content.text : nil)).map { .content($0, name: name) }
    }
    return value["file"]?.string.map { .file($0, name: name) }
  }

  /// Returns a value as flags take it. Whole numbers have no fraction, others have a point.
  private static func text(_ value: JSONView) -> String? {
    if let text = value.string { return text }
    if let bool = value.bool { return bool ? "true" : "false" }
    guard let number = value.number else { return nil }
    return value.integer.map(String.init) ?? Int(exactly: number).map(String.init) ?? String(number)
  }
}
