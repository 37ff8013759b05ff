import GatewayDrafts
import GatewayJSON
import Testing

/// Files that end early, are no recordings, or have secrets; and HAR files.
struct ScenarioFilesTests {
  @Test
  func `a recording that ends within a line is drafted without that line, and says so`() throws {
    let text = ScenarioDraftTests.rush().text()
    let cut = try ReadScenario(String(text.dropLast(30)))
    #expect(cut.text.contains("The recording ends within a line. That line is left out."))
    #expect(cut.text.contains("600 clients with one connection each"))
    #expect(try ReadScenario(text).text.contains("The recording has no last line"))
  }

  @Test
  func `a recording that lost lines says how many`() throws {
    let lines = ScenarioDraftTests.rush().text(until: 60_000).split(separator: "\n")
    let text = (lines.prefix(9) + [#"{"recording_lost":17}"#] + lines.dropFirst(9)).joined(separator: "\n") + "\n"
    let draft = try ReadScenario(text)
    #expect(draft.text.contains("17 lines were lost") && !draft.text.contains("has no last line"))
  }

  @Test(arguments: [
    ("", "it is empty"), ("\n \n", "it is empty"), ("x", "neither a recording"), ("[1]", "neither a recording"),
    ("{\"postern_recording\":1}\n{\"at_ms\":0,\"ki\n", "line 2 is no JSON object"),
    ("{\"postern_recording\":1}\n{\"kind\":\"closed\",\"at_ms\":1e300}\n", "line 2 has no time at_ms"),
    ("{\"postern_recording\":2}\n", "line 1 does not begin a recording"),
    ("{\"postern_recording\":1}", "it shows no connection"),
    ("{\"postern_recording\":1}\n{\"kind\":\"upgrade_refused\",\"at_ms\":3}\n", "all 1 upgrades in it were refused"),
    (#"{"log":{"entries":[{"request":{"url":"https://a.example/"}}]}}"#, "no entry has _webSocketMessages"),
  ])
  func `a file without clients is refused with what is missing`(text: String, reason: String) {
    #expect(throws: Recording.Malformed.self) { try ReadScenario(text) }
    do { _ = try ReadScenario(text) } catch { #expect("\(error)".contains(reason), "\(error)") }
  }

  @Test
  func `a line without end is refused, and not kept`() throws {
    var reader = TrafficReader()
    try reader.add(Array("{\"postern_recording\":1}\n".utf8))
    let piece = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
    #expect(throws: Recording.Malformed.self) { for _ in 0..<20 { try reader.add(piece) } }
  }

  @Test
  func `strange numbers and names trap nowhere`() throws {
    let kinds = ["connection_opened", "closed", "message_in", "logged_in", "http_answered", "provider_minted"]
    let numbers = ["-1", "0", "9999999999999", "-9999999999999", "0.5"]
    var lines = [#"{"postern_recording":1}"#, #"{"recording_lost":-9223372036854775808}"#]
    for (index, number) in numbers.enumerated() {
      lines.append(#"{"secret":"token-\#(index)","issued_ms":\#(number),"ends_ms":\#(numbers[4 - index])}"#)
      for kind in kinds {
        for name in ["", "c\(index)", "\u{e9}", "e\u{301}"] {
          lines.append(
            #"{"kind":"\#(kind)","at_ms":\#(number),"connection":"\#(name)","user":"\#(name)","dialect":"\#(name)","#
              + #""took_ms":\#(numbers[4 - index]),"expires_in_ms":\#(number),"payload":"token-\#(index)","#
              + #""request":{"path":"/"},"answer":{"status":\#(number),"body":"token-\#(index)"}}"#)
        }
      }
    }
    #expect(throws: Recording.Malformed.self) { try ReadScenario(lines.joined(separator: "\n") + "\n") }
    // Without the times that no scenario lasts.
    let short = lines.filter { !$0.contains(#""at_ms":9"#) && !$0.contains(#""at_ms":-9"#) }
    let draft = try ReadScenario(short.joined(separator: "\n") + "\n")
    #expect(draft.json["fleets"] != nil || draft.json["clients"] != nil)
  }

  @Test
  func `a client in many days still comes, and many in one millisecond do not come faster than a scenario can`() throws
  {
    var clients = RecordedClients()
    clients.add(at: 0, left: 2_400_000_000, user: "ann")
    let slow = try ReadScenario(clients.text())
    #expect(abs(slow.arrivals(from: 0, to: 2_400_000) - 1) < 0.01)
    var quick = RecordedClients()
    for number in 0..<300 { quick.open("conn_7_\(number)", at: 5) }
    let burst = try ReadScenario(quick.text())
    #expect(abs(burst.arrivals(from: 0, to: 1) - 300) < 1 && burst.pairs("arrivals").allSatisfy { $0[1] <= 1_000_000 })
  }

  @Test
  func `nothing of a token, a path or a user is in a draft`() throws {
    let mark = "mark9f3Kq7Zt21vLx0Wb"
    let text = ScenarioDraftTests.rush().text()
      .replacing("\"/token\"", with: "\"/\(mark)\"").replacing("user-1", with: mark)
      .replacing("\"blind\"", with: "\"\(mark)\"").replacing("connect\\\"", with: "\(mark)\\\"")
    let draft = try ReadScenario(text)
    #expect(!draft.text.contains(mark) && !draft.text.contains("token-") && !draft.text.contains("user-"))
  }

  /// A HAR file of one page: two connections of ann, one after the other, and one of bob. `unit` is that of a message's time.
  static func har(_ unit: Double) -> String {
    func token(_ user: String, _ issued: Int) -> String {
      // {"alg":"HS256"}; the payload in base64url without padding.
      let payload = "{\"sub\":\"\(user)\",\"iat\":\(issued),\"exp\":\(issued + 90)}"
      return "eyJhbGciOiJIUzI1NiJ9." + base64(payload) + ".c2lnbmF0dXJlLW9mLWEtdG9rZW4"
    }
    func socket(_ second: Int, _ token: String, _ last: Int) -> String {
      let said = "{\\\"type\\\":\\\"connect\\\",\\\"token\\\":\\\"\(token)\\\"}"
      let times = [second, second + 1, last].map { "\(Double(1_900_000_000 + $0) * unit)" }
      // 1,900,000,000 is 17:46:40.
      let (minute, rest) = (46 + (40 + second) / 60, (40 + second) % 60)
      let day = "2030-03-17T17:\(minute):\(rest < 10 ? "0" : "")\(rest).000Z"
      return #"{"startedDateTime":"\#(day)","#
        + #""time":3,"request":{"method":"GET","url":"wss://a.example/socket","headers":[]},"response":{"status":101},"#
        + #""_webSocketMessages":[{"type":"send","time":\#(times[0]),"opcode":1,"data":"\#(said)"},"#
        + #"{"type":"receive","time":\#(times[1]),"opcode":1,"data":"{\"type\":\"connected\"}"},"#
        + #"{"type":"receive","time":\#(times[2]),"opcode":1,"data":"{\"type\":\"news\"}"}]}"#
    }
    let ann = (token("ann", 1_900_000_000), token("ann", 1_900_000_030))
    let request =
      #"{"startedDateTime":"2030-03-17T17:46:39.900Z","time":80,"request":{"method":"POST","url":"https://a.example/token","#
      + #""headers":[]},"response":{"status":200,"content":{"text":"{\"token\":\"\#(ann.0)\"}"}}}"#
    return #"{"log":{"entries":["#
      + [request, socket(0, ann.0, 20), socket(30, ann.1, 50), socket(5, token("bob", 1_900_000_005), 60)].joined(
        separator: ",")
      + "]}}"
  }

  private static func base64(_ text: String) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var (output, bits, count) = ("", 0, 0)
    for byte in text.utf8 {
      (bits, count) = (bits << 8 | Int(byte), count + 8)
      while count >= 6 {
        count -= 6
        output.append(digits[bits >> count & 63])
      }
      bits &= (1 << count) - 1
    }
    if count > 0 { output.append(digits[bits << (6 - count) & 63]) }
    return output
  }

  @Test(arguments: [1.0, 1_000.0])
  func `a HAR file of Chromium or of Playwright has clients, lives and the time of answers`(unit: Double) throws {
    let draft = try ReadScenario(Self.har(unit))
    #expect(draft.text.contains("2 clients in 3 connections, at most 2 at one time"), "\(draft.text)")
    #expect(draft.text.contains("A HAR file has no ends of connections") && draft.json["stays"] == nil)
    #expect(draft.pairs("lives") == [[90, 1]] && draft.json["provider"]?["latency_ms"]?.number == 80)
    #expect(abs((draft.number("for_s") ?? 0) - 60.1) < 0.01 && !draft.text.contains("eyJ"))
  }
}
