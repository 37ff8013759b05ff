internal import GatewayCore
internal import GatewayJSON

/// A field of one of the SFU's messages: its number in the bytes and its name in JSON.
struct StreamSignalField {
  let number: Int
  let name: String

  init(_ number: Int, _ name: String) {
    self.number = number
    self.name = name
  }

  /// The name in the message's definition, which JSON may contain too: `session_id` for `sessionId`.
  var definedName: String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
  }
}

/// The fields of a message from a client, in either encoding.
protocol StreamSignalFields {
  func text(_ field: StreamSignalField) throws(GatewayError) -> String?
  /// Returns a number, or the number of an enumeration's value.
  func number(_ field: StreamSignalField) throws(GatewayError) -> Int?
  func message(_ field: StreamSignalField) throws(GatewayError) -> Self?
}

/// A JSON object whose members are the fields of a message (ProtoJSON), e.g. `{"token":"…"}`.
struct StreamSignalObject: StreamSignalFields {
  private let view: JSONView

  init(_ payload: UnsafeRawBufferPointer) throws(GatewayError) {
    do throws(JSONError) {
      view = try JSONDocument(payload).root
    } catch {
      throw .malformedMessage.worded("not a JSON object: \(error)")
    }
    guard view.isObject else { throw .malformedMessage.worded("not a JSON object") }
  }

  private init(_ view: JSONView) {
    self.view = view
  }

  private func value(_ field: StreamSignalField) -> JSONView? {
    guard let value = view[member: field.name] ?? view[member: field.definedName], !value.isNull else { return nil }
    return value
  }

  func text(_ field: StreamSignalField) throws(GatewayError) -> String? {
    guard let value = value(field) else { return nil }
    guard let text = value.string else { throw .malformedMessage.worded("\(field.name) must be a string") }
    return text
  }

  func number(_ field: StreamSignalField) throws(GatewayError) -> Int? {
    guard let value = value(field) else { return nil }
    if let number = value.integer { return Int(truncatingIfNeeded: number) }
    if let flag = value.bool { return flag ? 1 : 0 }
    guard let name = value.string else { throw .malformedMessage.worded("\(field.name) must be a number or a name") }
    return StreamReconnectStrategy(name: name)?.rawValue ?? 0
  }

  func message(_ field: StreamSignalField) throws(GatewayError) -> StreamSignalObject? {
    guard let value = value(field) else { return nil }
    guard value.isObject else { throw .malformedMessage.worded("\(field.name) must be an object") }
    return StreamSignalObject(value)
  }
}
