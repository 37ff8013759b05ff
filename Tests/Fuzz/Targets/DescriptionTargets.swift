import Foundation
import GatewayCore
import GatewayFaults
import GatewayFleet
import GatewayPlain
import GatewayPlanner

@testable import GatewayWires
@testable import postern

/// Files that describe a wire, a token endpoint or a scenario, the messages that they are matched with, and orders of faults.
enum DescriptionTargets {
  static let all = [
    FuzzTarget("wire-file", wireFile), FuzzTarget("wire-messages", wireMessages),
    FuzzTarget("token-file", tokenFile), FuzzTarget("token-answer", tokenAnswer), FuzzTarget("users-csv", usersCSV),
    FuzzTarget("scenario", scenario), FuzzTarget("fault-order", faultOrder),
  ]

  private static let now = WallTime(seconds: 1_800_000_000)
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Plays both sides of a wire with these messages.
  private static func play(_ wire: WireDescription, _ messages: [[UInt8]]) throws {
    let client = DescribedClientDialect(wire, provider: PlainClientDialect())
    DialectTargets.hear(client, messages)
    guard let server = try? ServedDialect(wire) else { return }
    DialectTargets.decode(server, messages)
  }

  static func wireFile(_ bytes: [UInt8]) throws {
    do {
      let wire = try WireDescription(try DescriptionFile.parse(bytes, file: "w.json"))
      try play(wire, [Array(#"{"type":"welcome","id":1}"#.utf8), [0, 1, 2]])
    } catch let error as DescriptionError {
      try hold(error.description.hasPrefix("w.json:"), error.description)
    }
  }

  /// The wires that are shipped, by name.
  private static let wires: [WireDescription] = {
    let folder = root.appending(path: "Deploy/wires")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().filter { $0.hasSuffix(".json") && !$0.hasSuffix("schema.json") }.compactMap { name in
      guard let data = try? Data(contentsOf: folder.appending(path: name)) else { return nil }
      return try? WireDescription(try DescriptionFile.parse(Array(data), file: name))
    }
  }()

  /// The first byte chooses the wire.
  static func wireMessages(_ bytes: [UInt8]) throws {
    try hold(wires.count > 8, "\(wires.count) wires in Deploy/wires")
    guard let first = bytes.first else { return }
    try play(wires[Int(first) % wires.count], [Array(bytes.dropFirst())])
  }

  static func tokenFile(_ bytes: [UInt8]) throws {
    do {
      let file = try DescriptionFile.parse(bytes, file: "t.json")
      try answer(DescribedTokenEndpoint(try TokenDescription(file)), Array(#"{"a":{"token":"x"}}"#.utf8), "Fri")
    } catch let error as DescriptionError {
      try hold(error.description.hasPrefix("t.json:"), error.description)
    }
  }

  private static let endpoint = DescribedTokenEndpoint(
    try! TokenDescription(
      try! DescriptionFile.parse(
        Array(
          #"{ "tokens": 1, "request": {"url": "/t"}, "answer": {"token": "/a/token", "end": {"seconds": "/expires_in"}} }"#
            .utf8), file: "t.json")))

  /// The first line is the value of two fields, the rest the body.
  static func tokenAnswer(_ bytes: [UInt8]) throws {
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    try answer(endpoint, Array(parts.last ?? []), String(decoding: parts[0], as: UTF8.self))
  }

  private static func answer(_ endpoint: DescribedTokenEndpoint, _ body: [UInt8], _ field: String) throws {
    for status in [200, 302, 400, 429, 503] {
      var memory = endpoint.memory()
      let wish = TokenWish(
        user: UserID("ann"), number: 0, life: .lasting(.seconds(60)), isHopeless: false, now: now)
      guard let request = try? endpoint.request(wish, memory) else { return }
      var response = HTTPResponse(status: status, body: body)
      response.headers = ["date", "retry-after"].map { HTTPField($0, field) }
      _ = endpoint.answer(response, to: request, at: now, &memory)
    }
  }

  static func usersCSV(_ bytes: [UInt8]) throws {
    guard let table = try? CSVTable(bytes, file: "u.csv") else { return }
    try hold(table.rows.allSatisfy { $0.count == table.columns.count }, "a row of another length")
    let lines = ([table.columns] + table.rows).map { row in
      row.map { "\"\($0.replacing(bytesOf: "\"", with: "\"\""))\"" }.joined(separator: ",") + "\n"
    }
    try hold((try? CSVTable(Array(lines.joined().utf8), file: "u.csv")) == table, "\(table)")
  }

  static func scenario(_ bytes: [UInt8]) throws {
    guard let world = try? ScenarioFile(parsing: bytes, path: "s.json", of: "FILE").world else { return }
    let (settings, plan) = (world.settings, world.settings.plan)
    guard (try? plan.check(millions: 20)) != nil else { return }
    try hold(plan.end >= plan.pacer.duration && plan.onset >= .zero && plan.heldUntil >= .zero, "\(plan)")
    let counts = plan.behaviours.counts(of: plan.clients)
    try hold(counts.values.reduce(0, +) == plan.clients && counts.values.allSatisfy { $0 >= 0 }, "\(counts)")
    var chance = SeededGenerator(seed: 1)
    for tries in [0, 1, 62, .max] {
      try hold(plan.backoff.wait(after: tries, chance: &chance) >= .zero, "\(plan.backoff)")
    }
    for clients in [1, 20_000_000] { _ = settings.scaled(toClients: clients, withProvider: true) }
    if let scenario = settings.scenario { _ = try? scenario.times(of: plan) }
  }

  static func faultOrder(_ bytes: [UInt8]) throws {
    do throws(GatewayError) { _ = try FaultOrder.read(json: bytes) } catch {
      try hold(!error.message.isEmpty, "an error without words")
    }
  }
}
