import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySinch

/// Sinch with a faulty store, in virtual time.
@Suite(.onNodes)
struct SinchStoreScenes {
  private let gateway = SimulatedSinch()

  private func register(_ peer: SinchPeer, _ token: String) {
    peer.say(#"{"type":"register","jwt":"\#(token)"}"#)
  }

  @Test
  func `a registration while the store is away is refused with 1013, spends nothing, and is accepted afterwards`() {
    let token = gateway.token()
    let peer = gateway.connect()
    peer.start()
    gateway.space.store.fault = .away
    register(peer, token)
    #expect(peer.last("reason") == "store_unavailable" && peer.closeCode == 1013)
    gateway.space.store.fault = nil
    let again = gateway.connect()
    again.start()
    register(again, token)
    #expect(again.types.last == "clientStarted")
  }

  @Test
  func `no client is told that its instance is unknown while the store is away, and the instance starts afterwards`()
    throws
  {
    let (id, secret) = try #require(gateway.started().registered)
    gateway.space.store.fault = .away
    let peer = gateway.connect()
    peer.start(instance: id, secret: secret)
    #expect(peer.types == ["clientFailed"] && peer.last("reason") == "store_unavailable" && peer.closeCode == 1013)
    gateway.space.store.fault = nil
    let again = gateway.connect()
    again.start(instance: id, secret: secret)
    #expect(again.types == ["clientStarted"])
  }

  @Test
  func `HTTP answers 503 with the time to retry after while the store is away, and nothing is deleted`() throws {
    let (id, _) = try #require(gateway.started().registered)
    let path = "/sinch/v1/applications/app/users/alice/instances"
    let server = [HTTPField("authorization", "Basic YXBwOkFBRUNBd1FGQmdjSUNRb0xEQTBPRHc9PQ==")]
    #expect(gateway.fetch("GET", path, headers: server)?.status == 200)
    gateway.space.store.fault = .away
    for (method, path) in [("GET", path), ("GET", "\(path)/\(id)"), ("DELETE", "\(path)/\(id)")] {
      let answer = try #require(gateway.fetch(method, path, headers: server))
      #expect(answer.status == 503 && answer.headers.contains { $0.name == "retry-after" })
    }
    gateway.space.store.fault = nil
    #expect(gateway.instances().map(\.id.text) == [id])
    #expect(gateway.fetch("DELETE", "\(path)/\(id)", headers: server)?.status == 204)
  }

  @Test
  func `a client that unregisters while the store is away is told so, and stays registered`() {
    let peer = gateway.started()
    gateway.space.store.fault = .away
    peer.say(#"{"type":"unregisterPushToken"}"#)
    #expect(peer.types.last == "error" && peer.last("reason") == "store_unavailable" && peer.isOpen)
    gateway.space.store.fault = nil
    #expect(gateway.instances().count == 1)
  }

  @Test
  func `a registration waits for a late store and spends its nonce once`() {
    let token = gateway.token()
    gateway.space.store.fault = .late(.milliseconds(300))
    let peers = ["d1", "d2"].map { device in
      let peer = gateway.connect()
      peer.start(device: device)
      return peer
    }
    for peer in peers { register(peer, token) }
    gateway.world.advance(by: .seconds(5))
    #expect(peers.map { $0.types.last == "clientStarted" }.filter(\.self).count == 1)
    gateway.space.store.fault = nil
    #expect(gateway.instances().count == 1)
  }
}
