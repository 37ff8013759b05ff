import Testing

/// Recordings of busy machines: pings come between a message and its answer, and messages and ends come late.
extension WireDraftTests {
  private static let ping = [#"<{"type":"ping"}"#, #">{"type":"pong"}"#]

  @Test(arguments: 0...2)
  func `a ping of the gateway between a message and its answer changes nothing but the pings`(place: Int) throws {
    let parts = [Self.login[0], Self.login[1], #"<{"type":"hurry"}"#, Self.renewal[0], Self.renewal[1]]
    var messages = parts
    messages.insert(contentsOf: Self.ping, at: [1, 3, 4][place])
    let text = try draft(recording(messages + Self.ping))
    #expect(text.contains(#"{ "json": { "/type": "welcome" } }, "during": "logging_in", "is": "logged_in""#))
    #expect(text.contains(#"{ "json": { "/type": "hurry" } }, "is": "ask""#) && text.contains(#""how": "asked""#))
    #expect(text.contains(#"{ "json": { "/type": "renewed" } }, "during": "refreshing", "is": "refreshed""#))
    #expect(text.contains(#"{ "json": { "/type": "ping" } }, "is": "alive", "say": "pong""#))
  }

  @Test
  func `a ping of the gateway within a login of several lines is no part of the login`() throws {
    let lines = [#"<INFO {"x":1}"#, #">CONNECT {"jwt":"token-1"}"#, "<PING", ">PING", ">PONG", "<PONG"]
    let text = try draft(recording(lines.map { $0 + "\\r\\n" }))
    #expect(text.contains(#"{ "text": "PING" }], // line 6"#))
    #expect(text.contains(#"{ "when": { "text": "PONG" }, "during": "logging_in", "is": "logged_in""#))
  }

  @Test
  func `what a client says after the login is said then, if it stands right behind the login in one connection`() throws
  {
    let subscribe = #">{"type":"subscribe","id":"7"}"#
    let others = [
      #"{"n":8,"at_ms":90,"kind":"connection_opened","connection":"c2","request":{"method":"GET","path":"/socket"}}"#,
      #"{"n":9,"at_ms":91,"kind":"message_in","connection":"c2","payload":"{\"type\":\"auth\",\"token\":\"token-1\"}"}"#,
      #"{"n":10,"at_ms":92,"kind":"message_out","connection":"c2","payload":"{\"type\":\"welcome\"}"}"#,
      #"{"n":11,"at_ms":93,"kind":"message_in","connection":"c2","payload":"{\"type\":\"subscribe\",\"id\":\"7\"}"}"#,
    ]
    let text = try draft(recording(Self.login + [#"<{"type":"news"}"#, subscribe], more: others))
    #expect(text.contains(#""is": "logged_in", "say": "start""#))
    // Nothing shows that the news did not cause it.
    #expect(!(try draft(recording(Self.login + [#"<{"type":"news"}"#, subscribe]))).contains(#""say": "start""#))
  }

  @Test(arguments: [100, 1_800])
  func `a short life is told by its name, however late the message comes, and not by a number near it`(gap: Int) throws
  {
    let answer = #"<{"type":"welcome","id":2,"session":2,"expires_in":2}"#
    let text = try draft(
      recording([Self.login[0], answer], every: gap).replacing("1900003600000", with: "1900000002000"))
    #expect(text.contains(#""take": { "life_s": "/expires_in" }"#) && text.contains(#""session": 2"#))
    let unnamed = try draft(
      recording([Self.login[0], #"<{"type":"welcome","session":2}"#], every: gap)
        .replacing("1900003600000", with: "1900000002000"))
    #expect(!unnamed.contains("life_s"))
  }

  @Test
  func `clients that leave less than a second before the end of their token do so in the draft`() throws {
    let text = try draft(
      recording(
        Self.login,
        more: [
          #"{"n":8,"at_ms":3599400,"kind":"closed","connection":"c1","code":1000,"by":"peer"}"#,
          #"{"n":9,"at_ms":3599500,"kind":"connection_opened","connection":"c2","request":{"method":"GET","path":"/socket"}}"#,
          #"{"n":10,"at_ms":3599500,"kind":"message_in","connection":"c2","payload":"{\"type\":\"auth\",\"token\":\"token-2\"}"}"#,
        ]))
    #expect(text.contains(#""how": "reconnect", "lead": "600ms""#))
  }

  @Test
  func `a client that is back before the end of its connection is recorded renews by reconnecting`() throws {
    let text = try draft(
      recording(
        Self.login,
        more: [
          #"{"n":8,"at_ms":2100,"kind":"connection_opened","connection":"c2","request":{"method":"GET","path":"/socket"}}"#,
          #"{"n":9,"at_ms":2200,"kind":"closed","connection":"c1","code":4401,"by":"gateway"}"#,
          #"{"n":10,"at_ms":2300,"kind":"message_in","connection":"c2","payload":"{\"type\":\"auth\",\"token\":\"token-2\"}"}"#,
          #"{"n":11,"at_ms":2400,"kind":"message_out","connection":"c2","payload":"{\"type\":\"welcome\"}"}"#,
        ]))
    #expect(text.contains(#""how": "reconnect""#) && text.contains(#"{ "code": 4401, "then": "renew" }"#))
  }
}
