import GatewayDrafts
import GatewayKit
import TestSupport
import Testing

@testable import postern

struct TrafficTests {
  @Test
  func `a name is learned from the answer that has a text in its place, and fills later texts`() {
    var names = TrafficNames()
    names.learn(
      from: #"42["granted",{"token":"eyJ.x.y","link":"wss://h/s?sid=9f3K","n":[1,{"key":"k9"}]}]"#,
      recordedAs: #"42["granted",{"token":"token-1","link":"wss://h/s?sid=id-2","n":[1,{"key":"key-4"}]}]"#)
    #expect(
      names.filled("Bearer token-1, id-2; key-4 token-10 my-token-1") == "Bearer eyJ.x.y, 9f3K; k9 token-10 my-token-1")
    // The first text stays, and texts that could end a line or a string are refused.
    names.learn(from: "other", recordedAs: "token-1")
    names.learn(from: "a\r\nb: c", recordedAs: "id-7")
    names.learn(from: "a\"b", recordedAs: "id-8")
    #expect(names.filled("token-1 id-7 id-8") == "eyJ.x.y id-7 id-8")
  }

  @Test
  func `messages of one meaning have one shape, whatever their numbers, ids and order`() {
    func shape(_ text: String) -> TrafficShape { TrafficShape(text, isBinary: false) }
    #expect(
      shape(#"{"type":"connected","id":"conn_0_1","ms":3600}"#)
        == shape(#"{"ms":17,"type":"connected","id":"conn_5_9"}"#))
    #expect(shape(#"{"type":"connected"}"#) != shape(#"{"type":"error"}"#))
    #expect(shape("ping") != TrafficShape("ping", isBinary: true))
    #expect(TrafficShape.shown(#"{"id":"conn_0_1","token":"token-1"}"#) == ##"{"id":"#","token":"#"}"##)
  }

  @Test
  func `steps are those of a recording in its order, and the gateway's request comes before its message`() throws {
    let lines = [
      #"{"postern_recording":1,"wires":["blind","centrifugo"]}"#,
      #"{"n":1,"at_ms":7,"kind":"connection_opened","connection":"c","request":{"path":"/s"},"answer":{"status":101}}"#,
      #"{"n":2,"at_ms":9,"kind":"message_in","connection":"c","payload":"hello"}"#,
      #"{"n":3,"at_ms":9,"kind":"message_in","connection":"c"}"#,
      #"{"n":4,"at_ms":9,"kind":"message_out","connection":"c","payload":"ask"}"#,
      #"{"n":5,"at_ms":9,"kind":"refresh_requested","connection":"c","cause":"expiry"}"#,
      #"{"n":6,"at_ms":12,"kind":"upgrade_refused","request":{"path":"/t"},"answer":{"status":403}}"#,
      #"{"n":7,"at_ms":13,"kind":"ordered","order":"disconnect","connection":"c"}"#,
      #"{"n":8,"at_ms":14,"kind":"closed","connection":"c","code":4000,"by":"gateway"}"#,
    ]
    let recording = try Recording(reading: Array(lines.joined(separator: "\n").utf8))
    let steps = TrafficStep.steps(of: recording)
    #expect(
      TrafficStep.areIn(recording) && recording.messagesLeftOut == 1 && recording.wires == ["blind", "centrifugo"])
    #expect(steps.map(\.at) == [0, 2, 2, 2, 5, 7])
    guard steps.count == 6, case .open = steps[0].act, case .say = steps[1].act,
      case .beAsked(0, let ask, let message?) = steps[2].act,
      case .hear = steps[3].act, case .beRefused(let refused) = steps[4].act, case .end(0, let end) = steps[5].act
    else { return #expect(Bool(false), "\(steps)") }
    #expect(ask.isExpiry && message.text == "ask" && refused.status == 403)
    #expect(end.code == 4000 && end.isOfGateway && end.isOrdered)
  }

  @Test
  func `hostile recordings become steps whose times grow, and names and shapes, and trap nothing`() {
    let lines = [
      #"{"postern_recording":1,"wires":["plain"]}"#,
      #"{"secret":"token-1","form":"jwt","issued_ms":1,"ends_ms":2,"user":"ann"}"#,
      #"{"n":1,"at_ms":7,"kind":"connection_opened","connection":"c","request":{"path":"/token-1"},"answer":{"status":101}}"#,
      #"{"n":4,"at_ms":9,"kind":"message_out","connection":"c","payload":"{\"token\":\"token-1\"}"}"#,
      #"{"n":5,"at_ms":9,"kind":"refresh_requested","connection":"c","cause":"expiry"}"#,
      #"{"n":8,"at_ms":14,"kind":"closed","connection":"c","code":4000,"by":"gateway"}"#,
    ].joined(separator: "\n")
    var source = HostileBytes(
      seed: 31, examples: [lines], words: ["\n", "\"at_ms\"", "9223372036854775807", "token-1", "\"closed\""])
    var played = 0
    var names = TrafficNames()
    for _ in 0..<400 {
      let bytes = source.next()
      let text = String(decoding: bytes, as: UTF8.self)
      names.learn(from: text, recordedAs: lines)
      names.learn(from: lines, recordedAs: text)
      _ = (names.filled(text), TrafficShape.shown(text), TrafficShape(text, isBinary: false))
      guard let recording = try? Recording(reading: bytes) else { continue }
      let steps = TrafficStep.steps(of: recording)
      #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.at <= $1.at })
      played += 1
    }
    #expect(played > 20)
  }
}
