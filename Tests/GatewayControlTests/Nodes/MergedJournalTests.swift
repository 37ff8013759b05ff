import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayControl

/// The journals of two nodes, read as one.
struct MergedJournalTests {
  private let nodes: TwoNodes

  init() throws { nodes = try TwoNodes() }

  /// Has clients come and go on both nodes, by turns.
  private func live(_ rounds: Int) {
    for round in 0..<rounds {
      _ = nodes.connect("user\(round)", to: round % 2)
      nodes.world.advance(by: .milliseconds(10))
    }
  }

  private func isSorted(_ times: [String]) -> Bool { zip(times, times.dropFirst()).allSatisfy { Name($1) >= Name($0) } }

  @Test
  func `the journal has the lines of all nodes in the order of their times, each with its node`() throws {
    live(8)
    for node in 0..<2 {
      let page = try nodes.json(node, "GET", "/journal", ["kind": "logged_in"])
      #expect(page.list("lines", "user") == (0..<8).map { "user\($0)" })
      #expect(page.list("lines", "node") == (0..<8).map { ["a", "b"][$0 % 2] })
      #expect(isSorted(page.list("lines", "time")))
      #expect(page["next"]?.string == page["last"]?.string && page["missed"]?.integer == 0)
    }
    #expect(try nodes.json(0, "GET", "/journal", ["user": "user3"]).list("lines", "node").allSatisfy { $0 == "b" })
    #expect(try nodes.json(0, "GET", "/journal", ["node": "b", "user": "user0"])["lines"]?.elements?.isEmpty == true)
  }

  @Test(arguments: [1, 3, 7])
  func `pages of the merged journal have every line once and in order, also if lines are written in between`(
    limit: Int
  ) throws {
    live(6)
    var (seen, after, rounds) = ([String](), "0", 0)
    while true {
      let page = try nodes.json(rounds % 2, "GET", "/journal", ["after": after, "limit": String(limit)])
      seen += zip(page.list("lines", "node"), page.list("lines", "n")).map { "\($0) \($1)" }
      after = try #require(page["next"]?.string)
      rounds += 1
      if rounds == 4 { live(2) }
      if page["next"]?.string == page["last"]?.string, rounds > 4 { break }
      try #require(rounds < 1_000)
    }
    let all = try nodes.json(0, "GET", "/journal", ["limit": "1000"])
    let expected = zip(all.list("lines", "node"), all.list("lines", "n")).map { "\($0) \($1)" }
    #expect(seen.sorted() == expected.sorted() && Set(seen).count == seen.count && seen.count > 20)
    // Each node's own lines are in their order.
    for name in ["a", "b"] {
      let numbers = seen.filter { $0.hasPrefix(name) }.compactMap { Int($0.dropFirst(2)) }
      #expect(numbers == numbers.sorted())
    }
  }

  @Test
  func `a place that no answer has, and the number of a line, are refused`() {
    for after in ["17", "x", "0.0", "0.0:1,", "64.0:1", "0.0:1,0.0:2", "0.16384:1", "-1", "0.0:99999999999999999"] {
      #expect(nodes.ask(0, "GET", "/journal", ["after": after]).status == 400, "\(after)")
    }
    #expect(nodes.ask(0, "GET", "/journal", ["after": "0", "kind": "nothing"]).status == 400)
    #expect(nodes.ask(0, "GET", "/journal", ["after": "1", "node": "b"]).status == 200)
    #expect(nodes.ask(0, "GET", "/journal", ["after": "0.0:1,1.3:2", "node": "b"]).status == 200)
  }

  @Test
  func `the counts of a user are the sums of all nodes`() throws {
    _ = nodes.connect("ann", to: 0)
    _ = nodes.connect("ann", to: 1)
    #expect(try nodes.json(0, "GET", "/journal/counts", ["user": "ann"])["counts"]?["logged_in"]?.integer == 2)
    #expect(
      try nodes.json(0, "GET", "/journal/counts", ["user": "ann", "node": "b"])["counts"]?["logged_in"]?.integer == 1)
  }

  @Test
  func `a wait ends by lines of any node, or of several together, and never by more lines than exist`() throws {
    live(3)
    let place = try #require(nodes.json(0, "GET", "/journal", ["limit": "1000"])["next"]?.string)
    let order = { (count: Int, within: Int) in
      #"{"kind":"logged_in","after":"\#(place)","count":\#(count),"within_ms":\#(within)}"#
    }
    let unmet = try nodes.json(0, "POST", "/journal/await", body: order(1, 300))
    #expect(unmet["met"]?.bool == false && unmet["lines"]?.elements?.isEmpty == true)
    _ = nodes.connect("late", to: 1)
    let met = try nodes.json(0, "POST", "/journal/await", body: order(1, 5_000))
    #expect(met["met"]?.bool == true && met.list("lines", "user") == ["late"] && met.list("lines", "node") == ["b"])
    nodes.world.advance(by: .milliseconds(10))
    _ = nodes.connect("later", to: 0)
    #expect(
      try nodes.json(1, "POST", "/journal/await", body: order(2, 5_000)).list("lines", "user") == ["late", "later"])
    let three = try nodes.json(1, "POST", "/journal/await", body: order(3, 500))
    #expect(three["met"]?.bool == false && three["lines"]?.elements?.count == 2)
    #expect(
      nodes.ask(0, "POST", "/journal/await", body: #"{"kind":"logged_in","count":0,"within_ms":1}"#).status == 400)
  }

  @Test
  func `an expectation is checked by the node that has the client's lines, and is undecided if several have some`()
    throws
  {
    _ = nodes.connect("ann", to: 1)
    nodes.world.advance(by: .seconds(10))
    let order = { (user: String) in #"{"expect":"single_flight","user":"\#(user)"}"# }
    let own = try nodes.json(1, "POST", "/journal/expect", ["node": "b"], body: order("ann"))
    let asked = try nodes.json(0, "POST", "/journal/expect", body: order("ann"))
    #expect(asked["verdict"]?.string == own["verdict"]?.string && asked["sentence"]?.string == own["sentence"]?.string)
    _ = nodes.connect("ann", to: 0)
    let open = try nodes.json(0, "POST", "/journal/expect", body: order("ann"))
    #expect(open["verdict"]?.string == "undecided" && open["sentence"]?.string?.contains("a and b") == true)
    #expect(nodes.ask(0, "POST", "/journal/expect", body: #"{"expect":"single_flight"}"#).status == 400)
    nodes.buses[1].isAway = true
    #expect(try nodes.json(0, "POST", "/journal/expect", body: order("ann")).missing == ["b"])
  }

  @Test
  func `an export has the lines of all nodes, and a feed has new ones, with the position to continue from`() throws {
    live(4)
    let export = try #require(nodes.ask(0, "GET", "/journal/export", ["kind": "logged_in"]).stream)
    let lines = nodes.read(export)
    #expect(lines.hasEnded && !export.isCut())
    #expect(lines.pieces.joined().split(separator: "\n").count == 4)
    let place = try #require(nodes.json(0, "GET", "/journal", ["limit": "1000"])["next"]?.string)
    let feed = nodes.read(try #require(nodes.ask(0, "GET", "/journal/stream", ["after": place]).stream))
    _ = nodes.connect("late", to: 1)
    nodes.world.advance(by: .seconds(1))
    #expect(feed.pieces.joined().contains(#""user":"late""#) && feed.pieces.joined().contains(#""node":"b""#))
    #expect(feed.pieces.joined().contains("id: 0.0:"))
    nodes.buses[1].isAway = true
    nodes.world.advance(by: .seconds(5))
    #expect(feed.pieces.joined().contains(#"{"nodes_missing":["b"]}"#))
    feed.go()
  }

  @Test
  func `a page that is too large for the channel is cut short, and its lines come later`() throws {
    let part = { (numbers: ClosedRange<Int>, last: Int) in
      let lines = numbers.map { #"{"n":\#($0),"time":"2026-01-01T00:00:0\#($0).000Z"}"# }.joined(separator: ",")
      return Array(#"{"lines":[\#(lines)],"missed":0,"next":\#(numbers.upperBound),"last":\#(last)}"#.utf8)
    }
    let short = try #require(JournalPart(part(1...2, 4), of: .first, named: "a", after: 0))
    let whole = try #require(JournalPart(part(1...5, 5), of: TwoNodes.life, named: "b", after: 0))
    let (lines, next) = JournalPart.merged([short, whole], after: JournalPosition(), limit: 100)
    #expect(
      JournalPart.merged([whole, short], after: JournalPosition(), limit: 100).lines.map(\.text) == lines.map(\.text))
    // The line after line 2 of the first is not known yet, so nothing later may come.
    #expect(lines.count == 3 && next.text == "0.0:2,1.3:1")
    for body in [part(2...2, 2), Array("{}".utf8), Array(#"{"lines":[1],"missed":0,"next":0,"last":0}"#.utf8)] {
      #expect(JournalPart(body, of: .first, named: "a", after: 5) == nil)
    }
  }
}

extension TwoNodes {
  fileprivate func read(_ stream: HTTPStream) -> FeedReader { FeedReader(stream, on: world.loops[0], in: world) }
}
