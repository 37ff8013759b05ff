import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayControl

struct DashboardFeedTests {
  private func feed(_ port: ControlPort) throws -> FeedReader {
    port.read(try #require(port.ask("GET", "/dashboard/feed").stream))
  }

  @Test
  func `the dashboard feed sends the same figures once a second to all watchers, whenever they joined`() throws {
    let port = try ControlPort(secret: nil)
    let first = try feed(port)
    #expect(first.pieces.count == 1, "who comes sees at once what there is")
    port.world.advance(by: .milliseconds(3_300))
    let second = try feed(port)
    port.world.advance(by: .seconds(6))
    #expect(first.pieces.count == 10 && second.pieces.count == 7)
    #expect(first.pieces.suffix(7) == second.pieces.suffix(7), "one reading for all")
    let gaps = zip(first.times.dropFirst(), first.times).map { $0 - $1 }
    #expect(Set(gaps) == [.seconds(1)])
    #expect(first.pieces.allSatisfy { $0.hasPrefix("data: {\"number\":") && $0.hasSuffix("}\n\n") })
  }

  @Test
  func `a dashboard feed without watchers computes nothing`() throws {
    let port = try ControlPort(secret: nil)
    let deadlines = port.world.loops[0].eventLoop.deadlines
    let before = deadlines.count
    let reader = try feed(port)
    port.world.advance(by: .seconds(5))
    #expect(deadlines.count == before + 1)
    reader.go()
    #expect(reader.hasEnded && deadlines.count == before)
    let made = reader.pieces.count
    port.world.advance(by: .seconds(3_600))
    let again = try feed(port)
    #expect(again.last.hasPrefix("data: {\"number\":\(made + 1),"), "not one was made in that hour")
  }

  @Test
  func `a dashboard feed starts again for a watcher that joins after a pause`() throws {
    let port = try ControlPort(secret: nil)
    let one = try feed(port)
    #expect(one.last.contains("\"active\":0"))
    one.go()
    let peer = port.gateway.connect(port.gateway.token())
    port.world.advance(by: .seconds(20))
    let other = try feed(port)
    #expect(other.pieces.count == 1 && other.last.contains("\"active\":1"))
    peer.close(.normal)
  }

  @Test
  func `the dashboard feed counts connections, refresh requests, refreshes, timeouts and expiring tokens`() throws {
    let port = try ControlPort(secret: nil)
    let peers = (0..<12).map {
      port.gateway.connect(port.gateway.token("user \($0)", $0 < 3 ? .guest : .regular, life: .seconds(300)))
    }
    let reader = try feed(port)
    for text in [
      "\"active\":12", "\"guest\":3", "\"regular\":9", "\"logins\":12", "\"refresh_requests\":0",
      "\"within\":{\"10\":0,\"60\":0,\"600\":12,\"3600\":12}", "\"waves\":[{", "\"tokens\":12",
    ] {
      #expect(reader.last.contains(text), "\(text)")
    }
    port.world.advance(by: .seconds(301))
    #expect(reader.last.contains("\"refreshing\":12") && reader.last.contains("\"refresh_requests\":12"))
    peers[0].say(port.gateway.dialect.encode(.refresh(port.gateway.token("user 0", .guest))))
    port.world.advance(by: .seconds(2))
    #expect(reader.last.contains("\"refreshes\":1,") && reader.last.contains("\"active\":1,"))
    port.world.advance(by: .seconds(70))
    #expect(reader.last.contains("\"cut_off\":{\"refresh_timeout\":11}"))
    peers[0].close(.normal)
    port.world.advance(by: .seconds(2))
    #expect(reader.last.contains("\"left\":{\"peer_closed\":1}") && reader.last.contains("\"draining\":false"))
  }

  @Test
  func `the dashboard feed accepts 32 watchers, and another when one has left`() throws {
    let port = try ControlPort(secret: nil)
    var readers: [FeedReader] = []
    for _ in 0..<DashboardFeed.watchersMax { readers.append(try feed(port)) }
    let refused = port.ask("GET", "/dashboard/feed")
    #expect(refused.status == 429 && refused.stream == nil)
    readers.removeLast().go()
    for _ in 0..<3 { #expect(port.ask("HEAD", "/dashboard/feed").status == 200, "a look takes no place") }
    readers.append(try feed(port))
    #expect(port.ask("GET", "/dashboard/feed").status == 429)
    for reader in readers { reader.go() }
    let hasEnded = readers.allSatisfy { $0.hasEnded }
    #expect(hasEnded)
  }

  @Test
  func `the dashboard feed continues in a frozen space, and ends with the space`() throws {
    let secret = try KeyMaterial.secret(Array("a secret of thirty-two bytes, or more".utf8))
    let settings = SpaceSettings(
      configuration: GatewayConfiguration(session: try SessionPolicy()),
      vendors: [PlainSettings(verifier: JWTVerifier(keys: try KeySet([VerificationKey(secret)])))],
      issuer: FakeTokens(), provider: try TokenProviderPolicy())
    let house = try TestHouse(settings, spaces: 1, isFrozen: true)
    let space = house.spaces[0]
    let feed = DashboardFeed(try #require(space.space))
    let stream = try #require(feed.stream())
    let reader = FeedReader(space.stream(stream), on: house.host, in: house.world)
    house.world.advance(by: .seconds(5))
    #expect(reader.pieces.count == 6)
    let times = Set(reader.pieces.compactMap { $0.firstMatch(of: #/"time":[0-9.]+/#)?.output })
    #expect(times.count == 1, "the space's own time stands still")
    house.end(space)
    house.world.advance(by: .seconds(1))
    #expect(reader.hasEnded && reader.pieces.count == 6)
  }
}
