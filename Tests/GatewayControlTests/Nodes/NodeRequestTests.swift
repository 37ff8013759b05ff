import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import Synchronization
import TestSupport
import Testing

@testable import GatewayControl

/// Requests to the control port of one of two nodes, which are answered for both.
struct NodeRequestTests {
  private let nodes: TwoNodes

  init() throws { nodes = try TwoNodes() }

  @Test
  func `the list of sessions has those of all nodes in order, and its pages continue from node to node`() throws {
    for number in 0..<6 { _ = nodes.connect("user\(number)", to: number % 2) }
    for node in 0..<2 {
      let all = try nodes.json(node, "GET", "/sessions")
      #expect(all.list("sessions", "user_id") == ["user0", "user2", "user4", "user1", "user3", "user5"])
      #expect(all.list("sessions", "node") == ["a", "a", "a", "b", "b", "b"])
      #expect(all["next"] == nil && all.missing.isEmpty)
      var (seen, after, pages) = ([String](), nil as String?, 0)
      repeat {
        let page = try nodes.json(
          node, "GET", "/sessions", ["limit": "2"].merging(after.map { ["after": $0] } ?? [:]) { $1 })
        seen += page.list("sessions", "user_id")
        after = page["next"]?.string
        pages += 1
      } while after != nil && pages < 10
      #expect(seen == all.list("sessions", "user_id"))
    }
    #expect(try nodes.json(0, "GET", "/sessions", ["user": "user3"]).list("sessions", "node") == ["b"])
    #expect(
      try nodes.json(0, "GET", "/sessions", ["node": "b"]).list("sessions", "user_id") == ["user1", "user3", "user5"])
    #expect(nodes.ask(0, "GET", "/sessions", ["limit": "0"]).status == 400)
  }

  @Test
  func `a session is shown by every node, and one that no node has is not found`() throws {
    _ = nodes.connect("ann", to: 1)
    let id = try #require(nodes.json(0, "GET", "/sessions")["sessions"]?.elements?.first?["id"]?.string)
    for node in 0..<2 {
      let session = try nodes.json(node, "GET", "/sessions/\(id)")
      #expect(session["user_id"]?.string == "ann" && session["node"]?.string == "b")
    }
    let gone = ConnectionID(TwoNodes.life, loop: 0, count: 99).description
    let elsewhere = ConnectionID(NodeBoot(node: 7, boot: 0), loop: 0, count: 1).description
    for id in [gone, elsewhere, "conn_0_9"] { #expect(nodes.ask(0, "GET", "/sessions/\(id)").status == 404) }
  }

  @Test
  func `an operator's message reaches the sessions of all nodes, and one connection of another node`() throws {
    let (here, there, bob) = (nodes.connect("ann", to: 0), nodes.connect("ann", to: 1), nodes.connect("bob", to: 1))
    let said = try nodes.json(0, "POST", "/users/ann/say", body: #"{"text":"{\"type\":\"hi\"}"}"#)
    #expect(said["sessions"]?.integer == 2 && said.missing.isEmpty)
    #expect([here, there, bob].map { $0.count("hi") } == [1, 1, 0])
    #expect(
      try nodes.json(1, "POST", "/sessions/say", body: #"{"text":"{\"type\":\"hi\"}"}"#)["sessions"]?.integer == 3)
    #expect([here, there, bob].map { $0.count("hi") } == [2, 2, 1])
    let id = try #require(
      nodes.json(0, "GET", "/sessions", ["user": "bob"])["sessions"]?.elements?.first?["id"]?.string)
    #expect(
      try nodes.json(0, "POST", "/sessions/\(id)/say", body: #"{"mean":"request:refresh"}"#)["sessions"]?.integer == 1)
    #expect(bob.count("refresh_required") == 1 && there.count("refresh_required") == 0)
    #expect(nodes.ask(0, "POST", "/sessions/conn_256_1/say", body: #"{"text":"x"}"#).status == 404)
  }

  @Test
  func `the horizon is the sum of all nodes, and a wave is spread and the spread undone on all of them`() throws {
    let peers = (0..<20).map { nodes.connect("user\($0)", to: $0 % 2, life: .seconds(600)) }
    let horizon = try nodes.json(1, "GET", "/horizon")
    #expect(horizon["within"]?["3600"]?.integer == 20 && horizon.missing.isEmpty)
    #expect(horizon["waves"]?.elements?.map { $0["tokens"]?.integer } == [20])
    #expect(try nodes.json(1, "GET", "/horizon", ["node": "a"])["within"]?["3600"]?.integer == 10)
    let wave = nodes.world.wallTime + .seconds(600)
    let order = #"{"from":\#((wave - .seconds(60)).seconds),"before":\#((wave + .seconds(60)).seconds)}"#
    let spread = nodes.ask(0, "POST", "/horizon/spread", body: order)
    #expect(try JSONDocument.parse(spread.body).root["sessions"]?.integer == 20)
    let path = try #require(spread.header("location"))
    nodes.world.advance(by: .seconds(200))
    let asked = peers.reduce(0) { $0 + $1.count("refresh_required") }
    #expect((4...16).contains(asked))
    // Any node takes it back.
    #expect(try nodes.json(1, "DELETE", "/horizon/\(path)")["sessions"]?.integer == Int64(20 - asked))
    #expect(nodes.ask(0, "DELETE", "/horizon/\(path)").status == 404)
  }

  @Test
  func `an order to one node reaches its sessions only, and a revocation always reaches all nodes`() throws {
    let (here, there) = (nodes.connect("ann", to: 0), nodes.connect("ann", to: 1))
    #expect(try nodes.json(0, "POST", "/users/ann/refresh", ["node": "b"])["sessions"]?.integer == 1)
    #expect([here, there].map { $0.count("refresh_required") } == [0, 1])
    #expect(try nodes.json(0, "POST", "/users/ann/refresh", ["node": "a"])["sessions"]?.integer == 1)
    #expect([here, there].map { $0.count("refresh_required") } == [1, 1])
    nodes.world.advance(by: .seconds(2))
    #expect(
      try nodes.json(0, "POST", "/revocations", ["node": "b"], body: #"{"user_id":"ann"}"#)["sessions"]?.integer == 2)
    let wrong = nodes.ask(0, "POST", "/users/ann/refresh", ["node": "c"])
    #expect(wrong.status == 404 && wrong.text.contains("there is a, b"))
  }

  @Test
  func `a fault, settings and a stream are of the process that is named`() throws {
    let fault = nodes.ask(0, "POST", "/faults", ["node": "b"], body: #"{"fault":"drop","what":"reply:refresh"}"#)
    #expect(fault.status == 201)
    #expect(try nodes.json(0, "GET", "/faults")["faults"]?.elements?.isEmpty == true)
    #expect(try nodes.json(0, "GET", "/faults", ["node": "b"]).list("faults", "fault") == ["drop"])
    #expect(try nodes.json(1, "GET", "/faults").list("faults", "fault") == ["drop"])
    #expect(try nodes.json(0, "GET", "/settings", ["node": "b"])["limits"]?["connections_max"]?.integer == 2)
    #expect(nodes.ask(0, "GET", "/journal/stream", ["node": "b"]).status == 400)
    #expect(nodes.ask(0, "GET", "/settings", ["node": "b", "other": "x"]).status == 400)
  }

  @Test
  func `an answer names a process that did not reply, and is sent after two seconds`() throws {
    _ = nodes.connect("ann", to: 0)
    _ = nodes.connect("bob", to: 1)
    let id = try #require(
      nodes.json(0, "GET", "/sessions", ["user": "bob"])["sessions"]?.elements?.first?["id"]?.string)
    nodes.buses[1].isAway = true
    let begun = nodes.world.wallTime
    let list = try nodes.json(0, "GET", "/sessions")
    #expect(list.list("sessions", "user_id") == ["ann"] && list.missing == ["b"])
    #expect(nodes.world.wallTime - begun < .seconds(4))
    #expect(try nodes.json(0, "GET", "/horizon").missing == ["b"])
    #expect(try nodes.json(0, "GET", "/journal").missing == ["b"])
    #expect(try nodes.json(0, "GET", "/journal/counts", ["user": "ann"]).missing == ["b"])
    let said = try nodes.json(0, "POST", "/sessions/say", body: #"{"text":"{\"type\":\"hi\"}"}"#)
    #expect(said["sessions"]?.integer == 1 && said.missing == ["b"])
    #expect(nodes.ask(0, "GET", "/sessions/\(id)").status == 503)
    #expect(nodes.ask(0, "GET", "/settings", ["node": "b"]).status == 503)
    #expect(nodes.ask(0, "GET", "/journal/export").status == 503)
    nodes.buses[1].isAway = false
    // A question without a wait finds that it answers again.
    _ = nodes.ask(0, "GET", "/sessions")
    nodes.world.settle()
    #expect(try nodes.json(0, "GET", "/sessions").missing.isEmpty)
  }

  @Test
  func `an order to drain all processes drains them one after the other, and last the one that received it`() throws {
    let answer = nodes.ask(0, "POST", "/drain", body: #"{"window_s":5,"nodes":"all"}"#)
    #expect(answer.status == 202)
    #expect(try JSONDocument.parse(answer.body).root["nodes"]?.elements?.compactMap(\.string) == ["b", "a"])
    nodes.world.advance(by: .seconds(10))
    #expect(nodes.book.drained.withLock { $0 } == ["1 5.0"])
    #expect(nodes.ask(0, "POST", "/drain", body: #"{"nodes":"all"}"#).text.contains("already"))
    nodes.book.names.withLock { $0[TwoNodes.life] = nil }
    nodes.world.advance(by: .seconds(2))
    #expect(nodes.book.drained.withLock { $0 } == ["1 5.0", "0 5.0"])
    #expect(nodes.ask(0, "POST", "/drain", body: #"{"nodes":"some"}"#).status == 400)
  }

  @Test
  func `an order with a process's name drains that process only`() {
    #expect(nodes.ask(0, "POST", "/drain", ["node": "b"], body: #"{"window_s":1}"#).status == 202)
    #expect(nodes.book.drained.withLock { $0 } == ["1 1.0"])
  }
}
