import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewaySendbird

/// Two nodes on one store, each of which numbers from a block of its own. The second one's numbers are greater, whatever it
/// stores first.
struct SendbirdNodeAgeContract {
  private typealias F = ChannelFixture

  private func at(_ seconds: Int64) -> WallTime { F.now + .seconds(seconds) }

  @Test(arguments: StoreCase.all)
  func `of the messages of all channels the oldest is displaced, whichever node numbered it`(
    _ engine: StoreCase
  ) async throws {
    let store = try engine.make()
    let nodes = (0..<2).map { _ in
      SendbirdChannels(store, on: SerialTestExecutor(), limits: SendbirdChannelLimits(messages: 2))
    }
    for url in ["a", "b"] as [Name] { _ = try await nodes[0].create(F.group(url, F.ann), at: F.now) }
    let places = [(0, "a"), (1, "b"), (0, "a"), (0, "a")] as [(Int, Name)]
    for (number, (node, url)) in places.enumerated() {
      let time = at(Int64(number))
      _ = try await nodes[node].send(F.text("\(number)", in: url, by: F.ann, at: time), needsPresence: true, at: time)
    }
    #expect(try await nodes[1].kept("b", at: at(5)).isEmpty)
    #expect(try await nodes[1].kept("a", at: at(5)).map(\.text) == ["2", "3"])
  }

  @Test(arguments: StoreCase.all)
  func `of the deletions of all channels the oldest is forgotten, whichever node numbered it`(
    _ engine: StoreCase
  ) async throws {
    let store = try engine.make()
    let nodes = (0..<2).map { _ in
      SendbirdChannels(store, on: SerialTestExecutor(), limits: SendbirdChannelLimits(deletions: 2))
    }
    let places = [(0, "a"), (1, "b"), (0, "c"), (0, "d")] as [(Int, Name)]
    for (place, (node, url)) in places.enumerated() {
      let time = at(Int64(place))
      _ = try await nodes[0].create(F.group(url, F.ann), at: time)
      let sent = try await nodes[0].send(F.text("x", in: url, by: F.ann, at: time), needsPresence: true, at: time)
      _ = try await nodes[node].deleteMessage(sent.message.id, in: url, by: F.ann, at: time)
    }
    var known: [Name] = []
    for url in ["a", "b", "c", "d"] as [Name] {
      if try await !nodes[1].deletions(of: url, since: F.now, at: at(9)).isEmpty { known.append(url) }
    }
    #expect(known == ["c", "d"])
  }

  @Test(arguments: StoreCase.all)
  func `of the departures of all users the oldest are forgotten, whichever node numbered them`(
    _ engine: StoreCase
  ) async throws {
    let store = try engine.make()
    let nodes = (0..<2).map { _ in
      SendbirdChannels(store, on: SerialTestExecutor(), limits: SendbirdChannelLimits(departures: 2))
    }
    let users = ["u0", "u1", "u2", "u3"].map { UserID($0) }
    _ = try await nodes[0].create(F.group("a", users[0], users[1], users[2], users[3], F.ann), at: F.now)
    for (place, node) in [0, 1, 0, 0].enumerated() {
      _ = try await nodes[node].leave("a", users: [users[place]], at: at(Int64(place)))
    }
    var known: [UserID] = []
    for user in users where try await !nodes[0].departures(of: user, since: F.now, at: at(9)).isEmpty {
      known.append(user)
    }
    #expect(known == [users[2], users[3]])
  }

  @Test(arguments: StoreCase.all)
  func `of the sessions of all users the oldest is forgotten, whichever node numbered it`(
    _ engine: StoreCase
  ) async throws {
    let store = try engine.make()
    let nodes = (0..<2).map { _ in SendbirdSessionTable(store, on: SerialTestExecutor(), countMax: 2) }
    for (place, node) in [0, 1, 0, 0].enumerated() {
      let token = SendbirdAcceptedToken(
        form: .jwt, fingerprint: TokenFingerprint(high: 1, low: 2), issuedAt: F.now, expiresAt: at(60))
      let session = SendbirdSession(
        user: UserID("u\(place)"), kind: .regular, isForHTTP: false, begunAt: at(Int64(place)), isExpiring: true,
        token: token, keyEnd: nil, generation: 0)
      #expect(try await nodes[node].open(session, as: UInt64(place), at: at(Int64(place))))
    }
    var known: [Int] = []
    for place in 0..<4 where try await nodes[1].session(UInt64(place), of: UserID("u\(place)"), at: at(9)) != nil {
      known.append(place)
    }
    #expect(known == [2, 3])
  }

  @Test(arguments: StoreCase.all)
  func `of the deleted users the earliest is forgotten, whichever node numbered it`(
    _ engine: StoreCase
  ) async throws {
    let store = try engine.make()
    let nodes = (0..<2).map { _ in SendbirdDirectory(store, on: SerialTestExecutor(), usersMax: 1) }
    let users = ["u0", "u1", "u2", "u3"].map { UserID($0) }
    for (place, node) in [0, 1, 0, 0].enumerated() {
      _ = try await nodes[0].getOrCreateUser(users[place], at: at(Int64(place)))
      try await nodes[node].deleteUser(users[place], at: at(Int64(place)))
    }
    var known: [UserID] = []
    for user in users where try await nodes[1].wasDeleted(user, at: at(9)) { known.append(user) }
    #expect(known == [users[2], users[3]])
  }

  @Test(arguments: StoreCase.all)
  func `of the reports and files the oldest are removed, whichever node numbered them`(
    _ engine: StoreCase
  ) async throws {
    let store = try engine.make()
    let reports = (0..<2).map { _ in SendbirdReports(store, on: SerialTestExecutor(), max: 2) }
    let files = (0..<2).map { _ in SendbirdFiles(store, on: SerialTestExecutor(), bytesMax: 3_500) }
    for (place, node) in [0, 1, 0, 0].enumerated() {
      let time = at(Int64(place))
      try await reports[node].add(SendbirdReport(category: "spam", description: "\(place)", at: time), at: time)
      let bytes = [UInt8](repeating: 7, count: 1_000)
      try await files[node].keep(
        SendbirdFile(id: "\(place)", name: "n", type: "", owner: nil, createdAt: time, bytes: bytes), at: time)
    }
    let page = try await reports[1].reports(from: 0, limit: 9, at: at(9)) { _ in true }
    #expect(page.reports.map(\.description) == ["3", "2"])
    var known: [String] = []
    for place in 0..<4 where try await files[1].file("\(place)", at: at(9)) != nil { known.append("\(place)") }
    #expect(known == ["2", "3"])
  }
}
