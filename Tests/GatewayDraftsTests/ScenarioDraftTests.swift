import GatewayDrafts
import GatewayJSON
import TestTraits
import Testing

/// A recording of clients whose times are known.
struct RecordedClients {
  private(set) var lines: [(at: Int, text: String)] = []
  private var count = 0

  /// Adds a client that asks for a token, connects, logs in, and leaves at `left`; nil if it stays.
  mutating func add(
    at: Int, left: Int?, user: String, life: Int? = 60_000, took: Int? = 40, status: Int = 200, wire: String = "blind"
  ) {
    count += 1
    let (token, name) = ("token-\(count)", "conn_0_\(count)")
    let took = took.map { #""took_ms":\#($0),"# } ?? ""
    if let life {
      let issued = 1_900_000_000_000 + at
      add(
        at, #"{"secret":"\#(token)","form":"jwt","issued_ms":\#(issued),"ends_ms":\#(issued + life),"user":"\#(user)"}"#
      )
    }
    add(
      at,
      #"{"at_ms":\#(at),"kind":"http_answered",\#(took)"request":{"method":"POST","path":"/token"},"#
        + #""answer":{"status":\#(status),"body":"{\"token\":\"\#(token)\"}"}}"#)
    open(name, at: at + 5, wire: wire)
    add(at + 6, message(name, "in", #"{\"type\":\"connect\",\"token\":\"\#(token)\"}"#, at + 6, wire))
    add(at + 10, message(name, "out", #"{\"type\":\"connected\"}"#, at + 10, wire))
    if let left { close(name, at: left) }
  }

  mutating func open(_ name: String, at: Int, wire: String = "blind") {
    add(
      at,
      #"{"at_ms":\#(at),"time":"2030-03-17T17:46:40.000Z","kind":"connection_opened","connection":"\#(name)","#
        + #""dialect":"\#(wire)","request":{"method":"GET","path":"/socket"},"answer":{"status":101}}"#)
  }

  mutating func close(_ name: String, at: Int) {
    add(at, #"{"at_ms":\#(at),"kind":"closed","connection":"\#(name)","code":1000,"by":"peer"}"#)
  }

  mutating func say(_ name: String, at: Int, _ token: String) {
    add(at, message(name, "in", #"{\"token\":\"\#(token)\"}"#, at, "blind"))
  }

  mutating func add(_ at: Int, _ text: String) { lines.append((at, text)) }

  private func message(_ name: String, _ direction: String, _ text: String, _ at: Int, _ wire: String) -> String {
    #"{"at_ms":\#(at),"kind":"message_\#(direction)","connection":"\#(name)","dialect":"\#(wire)","payload":"\#(text)"}"#
  }

  /// The recording, in the order of its times, up to `end`.
  func text(until end: Int? = nil) -> String {
    let sorted = lines.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
    let kept = sorted.map(\.element).filter { $0.at <= end ?? .max }
    let last = end.map { [#"{"recording_ended":"stopped","at_ms":\#($0),"lines":1,"lost":0}"#] } ?? []
    return ([#"{"postern_recording":1}"#] + kept.map(\.text) + last).joined(separator: "\n") + "\n"
  }
}

/// A scenario that was drafted, read as JSON.
struct ReadScenario {
  let text: String
  let json: JSONView

  init(_ recording: String, piece: Int = 65_536, dialects: [String] = ["plain", "other"], clients: Int? = nil) throws {
    var reader = TrafficReader()
    var rest = Array(recording.utf8)[...]
    while !rest.isEmpty {
      try reader.add(Array(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
    text = try ScenarioDraft(try reader.finish(), dialects: dialects, clients: clients).text
    let plain = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    json = try JSONDocument.parse(Array(plain.utf8), sizeMax: 1 << 20).root
  }

  func number(_ name: String) -> Double? { json[member: name]?.number }

  func pairs(_ name: String, in view: JSONView? = nil) -> [[Double]] {
    ((view ?? json)[member: name]?.elements ?? []).map { ($0.elements ?? []).compactMap(\.number) }
  }

  /// The arrivals that `arrivals` comes to between two times.
  func arrivals(from: Double, to: Double) -> Double {
    var sum = 0.0
    let points = pairs("arrivals")
    for (one, other) in zip(points, points.dropFirst()) where other[0] > one[0] {
      let (start, end) = (max(from, one[0]), min(to, other[0]))
      guard end > start else { continue }
      let rate = { (at: Double) in one[1] + (other[1] - one[1]) * (at - one[0]) / (other[0] - one[0]) }
      sum += (rate(start) + rate(end)) / 2 * (end - start)
    }
    return sum
  }

  /// The share of clients that stay at most so long.
  func share(upTo seconds: Double) -> Double {
    var (sum, before) = (0.0, 0.0)
    for step in pairs("stays") {
      if seconds >= step[0] {
        sum += step[1]
      } else if seconds > before {
        sum += step[1] * (seconds - before) / (step[0] - before)
      }
      before = step[0]
    }
    return sum
  }
}

struct ScenarioDraftTests {
  /// 600 clients: 10 a second for 20 s, then 40 a second for 10 s. Each third stays for 3 s, the others for 12 s.
  static func rush(life: (Int) -> Int? = { $0 % 4 == 0 ? 3_000 : 90_000 }) -> RecordedClients {
    var clients = RecordedClients()
    for number in 0..<600 {
      let at = number < 200 ? number * 100 : 20_000 + (number - 200) * 25
      let stay = number % 3 == 0 ? 3_000 : 12_000
      clients.add(
        at: at, left: at + 10 + stay, user: "user-\(number)", life: life(number), took: number % 2 == 0 ? 40 : 44)
    }
    return clients
  }

  @Test
  func `clients, arrivals, stays, lives and latency come back from a recording of known ones`() throws {
    let draft = try ReadScenario(Self.rush().text())
    // 400 of 600 stay for 12 s; at 30 s those of the last 12 s are present: 20 + 400 less the thirds that left.
    let clients = try #require(draft.number("clients"))
    #expect(clients >= 310 && clients <= 310 * 1.25, "\(clients)")
    #expect(abs(draft.arrivals(from: 0, to: 100) - 600) < 1)
    #expect(abs(draft.arrivals(from: 2, to: 18) - 160) < 8 && abs(draft.arrivals(from: 22, to: 29) - 280) < 14)
    #expect(draft.share(upTo: 2.9) < 0.01 && abs(draft.share(upTo: 3.1) - 1.0 / 3) < 0.02)
    #expect(abs(draft.share(upTo: 11.5) - 1.0 / 3) < 0.03 && draft.share(upTo: 12.1) > 0.99)
    #expect(draft.pairs("lives") == [[3, 0.25], [90, 0.75]])
    #expect(draft.json["provider"]?["latency_ms"]?.number == 40)
    #expect(draft.json["provider"]?["failure_rate"] == nil)
  }

  @Test(.long, arguments: [1, 7, 100_000])
  func `the same recording makes the same bytes, in pieces of any size`(piece: Int) throws {
    let text = Self.rush().text()
    #expect(try ReadScenario(text, piece: piece).text == ReadScenario(text).text)
  }

  @Test
  func `stays that had not ended count up to the end, so that the others are not too short`() throws {
    // Half of the clients stay for 4 s, half for 40 s; the recording ends after 24 s. Arrivals go on for 20 s.
    var clients = RecordedClients()
    for number in 0..<400 {
      let at = number * 50
      clients.add(at: at, left: at + 10 + (number % 2 == 0 ? 4_000 : 40_000), user: "user-\(number)")
    }
    let draft = try ReadScenario(clients.text(until: 24_500))
    #expect(abs(draft.share(upTo: 5) - 0.5) < 0.02, "\(draft.pairs("stays"))")
    // The others stay longer than the scenario lasts.
    #expect(draft.share(upTo: 24.4) < 0.52 && draft.text.contains("200 clients had not left at the end"))
    #expect(draft.text.contains("50 % stayed longer than the recording shows"))
  }

  @Test
  func `clients that leave together at the end have not left by themselves`() throws {
    var clients = RecordedClients()
    for number in 0..<100 { clients.add(at: number * 100, left: 30_000 + number, user: "user-\(number)") }
    let draft = try ReadScenario(clients.text())
    #expect(draft.json["stays"] == nil && draft.number("clients") == 100)
    #expect(draft.text.contains("100 clients left together at the end"))
    #expect(draft.text.contains("no \"stays\": all clients stay to the end"))
  }

  @Test
  func `a connection of the same user shortly after the last is the same client, and one at the same time is another`()
    throws
  {
    var clients = RecordedClients()
    clients.add(at: 0, left: 5_000, user: "ann")
    clients.add(at: 6_000, left: 20_000, user: "ann")
    clients.add(at: 1_000, left: 20_000, user: "bob")
    clients.add(at: 2_000, left: 20_000, user: "bob")
    clients.add(at: 90_000, left: 95_000, user: "ann")
    let draft = try ReadScenario(clients.text())
    #expect(draft.text.contains("4 clients in 5 connections, at most 3 at one time"), "\(draft.text)")
  }

  @Test
  func `clients that were there before the recording come at its beginning, and their stays are not known`() throws {
    var clients = RecordedClients()
    for number in 0..<50 { clients.say("conn_9_\(number)", at: 100 + number, "token-9\(number)") }
    for number in 0..<50 { clients.close("conn_9_\(number)", at: 30_000 + number * 500) }
    for number in 0..<20 { clients.add(at: 2_000 + number * 1_000, left: 12_010 + number * 1_000, user: "u\(number)") }
    let draft = try ReadScenario(clients.text())
    #expect(draft.text.contains("50 clients had come before the recording began"), "\(draft.text)")
    #expect(abs(draft.arrivals(from: 0, to: 5.5) - 50) < 1.5 && abs(draft.arrivals(from: 0, to: 999) - 70) < 1.5)
    #expect(draft.share(upTo: 9.9) < 0.01 && draft.share(upTo: 10.1) > 0.99, "only the twenty were seen to come")
  }

  @Test
  func `failures and the time of answers are those of the requests whose answers have tokens`() throws {
    var clients = RecordedClients()
    for number in 0..<40 { clients.add(at: number * 1_000, left: nil, user: "u\(number)", took: 20 + number * 10) }
    for number in 0..<10 {
      clients.add(
        number,
        #"{"at_ms":\#(number),"kind":"http_answered","took_ms":5,"request":{"method":"POST","path":"/token"},"#
          + #""answer":{"status":503}}"#)
      clients.add(
        number,
        #"{"at_ms":\#(number),"kind":"http_answered","took_ms":9000,"request":{"method":"GET","path":"/app.js"},"#
          + #""answer":{"status":500}}"#)
    }
    let draft = try ReadScenario(clients.text())
    let provider = try #require(draft.json["provider"])
    #expect(provider["failure_rate"]?.number == 0.2)
    #expect(provider["latency_ms"]?.elements?.compactMap(\.number) == [30, 390], "\(draft.text)")
    #expect(draft.text.contains("never connected, is not among the clients"))
  }

  @Test
  func `without a visible life there are no lives, and a few are the shares of those that show one`() throws {
    let none = try ReadScenario(Self.rush(life: { _ in nil }).text())
    #expect(none.json["lives"] == nil && none.text.contains("No life of a token is visible"))
    let some = try ReadScenario(Self.rush(life: { $0 % 2 == 0 ? nil : $0 % 4 == 1 ? 5_000 : 5_100 }).text())
    #expect(some.pairs("lives") == [[5, 1]] && some.text.contains("300 clients showed no life of a token"))
  }

  @Test
  func `a life that the gateway tells is that of a token that says nothing`() throws {
    let text = Self.rush(life: { _ in nil }).text()
      .replacing(#"{\"type\":\"connected\"}"#, with: #"{\"type\":\"connected\",\"expires_in_ms\":7000}"#)
    #expect(try ReadScenario(text).pairs("lives") == [[7, 1]])
  }

  @Test
  func `several wires are several fleets`() throws {
    var clients = RecordedClients()
    for number in 0..<30 {
      clients.add(at: number * 100, left: 9_000 + number * 300, user: "a\(number)", wire: "plain")
    }
    for number in 0..<60 { clients.add(at: 5_000 + number * 100, left: nil, user: "b\(number)", wire: "other") }
    for number in 0..<5 {
      clients.add(at: 7_000 + number, left: nil, user: "c\(number)", wire: "mark-9f3Kq7Zt21vLx0Wb")
    }
    let draft = try ReadScenario(clients.text())
    let fleets = try #require(draft.json["fleets"]?.elements)
    #expect(fleets.map { $0["name"]?.string } == ["plain", "other", "id-1"], "\(draft.text)")
    #expect(fleets.map { $0["dialect"]?.string } == ["plain", "other", nil])
    #expect(fleets[1]["clients"]?.number == 60 && !draft.text.contains("mark"))
  }

  @Test
  func `a scaled draft has the same shape`() throws {
    let one = try ReadScenario(Self.rush().text())
    let five = try ReadScenario(Self.rush().text(), clients: 3_000)
    #expect(five.pairs("stays") == one.pairs("stays") && five.pairs("lives") == one.pairs("lives"))
    let clients = try #require(five.number("clients"))
    #expect((3_000...3_200).contains(clients))
    let factor = five.arrivals(from: 0, to: 99) / one.arrivals(from: 0, to: 99)
    #expect(factor > 7 && factor < 10, "\(factor)")
  }
}
