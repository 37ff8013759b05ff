internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Checks of a description whose messages are MessagePack.

extension WireDescription {
  /// Throws if a message of a binary frame is no JSON that MessagePack can have.
  func checkMessagePack(_ file: Described) throws(DescriptionError) {
    guard frames.encoding == .messagePack else { return }
    let wire = try file.object(Self.keys)
    for (name, message) in try wire["say"]?.members() ?? [] {
      let number = names.sent.firstIndex { $0.utf8.elementsEqual(name.utf8) }
      let parts = try message.oneOrMore()
      for (index, part) in parts.enumerated() {
        guard let number, messages[number].parts.indices.contains(index) else { continue }
        let (kind, template) = (messages[number].parts[index].kind, messages[number].parts[index].template)
        if (kind ?? frames.kind) == .binary { try Self.check(part, template) }
      }
    }
    for rule in rules {
      try Self.checkCondition(rule.described)
      let said = try rule.described.object(WireRule.keys)["as"]?.oneOrMore() ?? []
      let templates = [rule.example].compactMap(\.self) + rule.further.map(\.template)
      for (one, template) in zip(said, templates) { try Self.check(one, template) }
    }
    for answer in serving.answers {
      try Self.checkCondition(answer.described)
      let said = try answer.described.object(ServedAnswer.keys)["say"]?.oneOrMore() ?? []
      for (one, template) in zip(said, answer.says) { try Self.check(one, template) }
    }
  }

  /// Throws unless a message is `json` that MessagePack can have.
  private static func check(_ described: Described, _ template: Template) throws(DescriptionError) {
    for member in try described.members() where ["text", "hex", "prefix"].contains(where: { $0 == member.name }) {
      throw member.value.error(
        "frames of MessagePack have \"json\" alone; or \"kind\": \"text\" beside it, in a message of /say")
    }
    // An array or an object, as in JSON: rules read nothing else.
    var bytes: [UInt8] = []
    do { try template.write(to: &bytes, from: ExampleSource()) } catch { return }
    guard let packed = MessagePack.packed(bytes), MessagePack.mayBegin(packed) else {
      throw described.error(
        "cannot be MessagePack: an object or array, in which $base64, $ext, $uint, $float, $str and $map have values as in Docs/wires-msgpack.md"
      )
    }
  }

  private static func checkCondition(_ described: Described) throws(DescriptionError) {
    for member in try described.members() where member.name == "when" {
      for condition in try member.value.members() where condition.name == "hex" {
        throw condition.value.error("messages of MessagePack are compared as JSON; \"json\": { POINTER: VALUE }")
      }
    }
  }
}
