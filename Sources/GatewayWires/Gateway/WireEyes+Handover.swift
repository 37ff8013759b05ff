package import GatewayCore
internal import GatewayJSON

// The addresses to which a gateway sends its clients.

extension WireEyes {
  /// Returns a payload of the gateway in which the addresses of hand-overs are others; nil if it has none, or none changes.
  ///
  /// - Parameter address: Returns the other address, or nil to leave it. It is called for each hand-over, with the address
  ///   and what it means to the client.
  package func handingOver(
    _ payload: UnsafeRawBufferPointer, at now: WallTime, to address: (String, ReturnVerdict) -> String?
  ) -> [UInt8]? {
    guard wire.handover != nil else { return nil }
    var unfinished: [UInt8] = []
    var changed: [UInt8]?
    let holes = seenHoles
    for message in wire.frames.messages(in: payload, &unfinished, atMost: Self.bytesMax) {
      let text = wire.frames.text(message)
      let rule = wire.rules.first { $0.phases.contains(phase) && $0.condition.holds(for: text, holes) }
      guard let rule, rule.verdict == .handover, let pointer = rule.nextURL else { continue }
      let prefix = rule.condition.prefix.count
      guard let next = text.find(pointer, behind: prefix, unpacking: nil)?.string, let other = address(next, rule.then)
      else { continue }
      changed =
        wire.frames.replacing(pointer, of: message, behind: prefix, in: changed ?? Array(payload)) { _ in
          JSONWriter.string(other)
        } ?? changed
    }
    return changed
  }

  /// Returns an operator's message as the wire has it.
  package func worded(_ frame: Frame) -> Frame { wire.frames.worded(frame) }
}

extension WireDescription {
  /// The first rule that is a hand-over; nil for none.
  var handover: WireRule? { rules.first { $0.verdict == .handover } }

  /// The reason why no storm and no gateway of ours plays it; nil if they do.
  package var proxyOnly: DescriptionError? {
    handover?.described.error(
      "a handover is followed by real clients only: postern proxy --wire plays it, postern storm and postern serve do not"
    )
  }
}
