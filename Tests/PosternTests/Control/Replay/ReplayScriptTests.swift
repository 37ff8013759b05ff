import Testing

@testable import postern

struct ReplayScriptTests {
  private static let opened =
    #"{"n":1,"at_ms":0,"kind":"connection_opened","connection":"0.1","dialect":"plain","time":"2026-11-25T08:00:00.000Z"}"#

  private static func script(_ lines: String...) throws -> ReplayScript {
    ReplayScript(try ReplayLine.read(Array(([opened] + lines).joined(separator: "\n").utf8)))
  }

  @Test
  func `a message in the millisecond of its connection's deadline waits for that deadline, and the next one does not`()
    throws
  {
    let script = try Self.script(
      #"{"n":2,"at_ms":60006,"kind":"token_expired","connection":"0.1"}"#,
      #"{"n":3,"at_ms":60006,"kind":"refresh_requested","connection":"0.1"}"#,
      #"{"n":4,"at_ms":60006,"kind":"message_in","connection":"0.1","message":"ping","payload":"{}"}"#,
      #"{"n":5,"at_ms":60006,"kind":"message_in","connection":"0.1","message":"ping","payload":"{}"}"#)
    #expect(script.steps.map(\.awaits) == [nil, "refresh_requested", nil])
  }

  @Test
  func `a message long after its connection's deadline, and one of another connection, wait for nothing`() throws {
    let script = try Self.script(
      #"{"n":2,"at_ms":1,"kind":"connection_opened","connection":"0.2","dialect":"plain"}"#,
      #"{"n":3,"at_ms":60006,"kind":"refresh_requested","connection":"0.1"}"#,
      #"{"n":4,"at_ms":60006,"kind":"message_in","connection":"0.2","message":"ping","payload":"{}"}"#,
      #"{"n":5,"at_ms":60900,"kind":"message_in","connection":"0.1","message":"ping","payload":"{}"}"#)
    #expect(script.steps.map(\.awaits) == [nil, nil, nil, nil])
  }
}
