import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import TestTraits
import Testing

@testable import GatewayFaults

struct HostileOrderTests {
  /// Values that may be written where others are expected.
  private static let values = [
    "null", "true", "-1", "0", "1", "0.0000000001", "599", "1e15", "315360000", "86400000", "9223372036854775807",
    "1e308",
    "-31536000", #""""#, #"" ""#, #""/""#, #""\u0000""#, #""any""#, #""é\#(String(repeating: "x", count: 300))""#, "[]",
    #"["ann"]"#, #"["ann", "ann"]"#, "{}", #"{"ann": 1}"#,
  ]

  /// The example of a fault with one member as it should not be.
  private static func orders(of fault: any Fault.Type) -> [String] {
    let body = fault.example.dropFirst().dropLast()
    return (fault.members + FaultOrder.members.dropFirst()).flatMap { name in
      values.map { value in
        let others = body.firstRange(of: #""\#(name)": "#) == nil ? String(body) : #""fault": "\#(fault.word)""#
        return #"{\#(others), "\#(name)": \#(value)}"#
      }
    }
  }

  @Test(.long, arguments: Faults.all.map { $0.word })
  func `hostile fault orders are refused in words, or obeyed, and never end the process`(word: String) throws {
    let fault = try #require(Faults.all.first { $0.word == word })
    var taken = 0
    for order in Self.orders(of: fault) {
      guard let read = Result(catching: { try FaultOrder.read(json: Array(order.utf8)) }).order else { continue }
      #expect(type(of: read.fault) == fault)
      taken += 1
      // Only a proxy takes it, or a gateway with hooks or logouts.
      let isOfOthers = fault is any OutboundFault.Type || fault is any SignalFault.Type
      if fault != Shorten.self, !isOfOthers { try live(with: order) }
    }
    #expect(taken > 0)
  }

  private func live(with order: String) throws {
    let faulty = try FaultyGateway()
    faulty.world.advance(by: .seconds(1))
    let before = faulty.connect()
    let fault = try faulty.fail(order)
    let ann = faulty.connect()
    for peer in [before, ann] {
      peer.say(#"{"type":"ping"}"#)
      peer.ping()
    }
    _ = faulty.mint("ann")
    _ = faulty.simulated.fetch("POST", "/v1/guests", body: "{}")
    faulty.expire()
    faulty.refresh(ann)
    before.close()
    faulty.world.advance(by: .seconds(70))
    try faulty.mend(fault)
    faulty.world.advance(by: .seconds(1_000))
    #expect(faulty.connect("bob").types.first == "connected", "\(order)")
  }
}

extension Result where Success == FaultOrder {
  fileprivate var order: FaultOrder? { if case .success(let order) = self { order } else { nil } }
}
