import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import TestTraits
import Testing

struct JournalPayloadTests {
  private func messages(_ plain: PlainHouse, hasPayloads: Bool = true) -> [JournalLine] {
    let gateway = plain.house.gateway(0)
    var query = Journal.Query(kinds: [.messageIn, .messageOut], limit: .max)
    query.hasPayloads = hasPayloads
    return plain.world.ask { [query] in await gateway.journal(query)?.lines ?? [] } ?? []
  }

  @Test
  func `the journal shows payloads in both directions on request, without a token`() throws {
    let plain = try PlainHouse()
    let ann = plain.connect()
    let token = PlainHouse.token(plain.issuer, life: .seconds(7_200), from: plain.wallTime(of: 0)).token
    ann.say(#"{"type":"refresh","token":"\#(token)","id":"1"}"#)
    ann.say(#"{"type":"refrsh","tok":"\#(token)"}"#)
    ann.say(#"{"type":"refresh","token":"\#(token)"#)
    ann.say(Frame(.binary, Array(token.utf8)))
    plain.world.settle()
    #expect(messages(plain, hasPayloads: false).allSatisfy { $0.payload == nil })
    let said = messages(plain)
    #expect(
      said.filter { $0.event.kind == .messageIn }.map(\.payload) == [
        #"{"type":"refresh","token":"(redacted)","id":"1"}"#, #"{"type":"refrsh","tok":"(redacted)"}"#, nil, nil,
      ])
    let heard = said.filter { $0.event.kind == .messageOut }.compactMap(\.payload)
    #expect(heard.first?.hasPrefix(#"{"type":"connected""#) == true && heard.count >= 3)
    #expect(heard[1].hasPrefix(#"{"type":"refreshed","id":"1""#))
  }

  @Test(.long, arguments: [100, 2_000, 16_384, 60_000])
  func `the journal keeps payloads of the newest messages if there is no room for all, each unchanged`(bytes: Int)
    throws
  {
    var limits = HostedLimits()
    limits.journalPayloadBytes = 100_000
    let plain = try PlainHouse(limits: limits)
    let ann = plain.connect()
    let pings = (0..<60).map {
      #"{"type":"ping","n":\#($0),"pad":"\#(String(repeating: "p\($0)", count: bytes / 3))"}"#
    }
    for ping in pings {
      ann.say(ping)
      plain.world.advance(by: .milliseconds(100))
    }
    let said = messages(plain).filter { $0.event.kind == .messageIn }
    try #require(said.count == pings.count)
    let kept = said.map(\.payload)
    let first = try #require(kept.firstIndex { $0 != nil })
    #expect(kept[first...].elementsEqual(pings[first...].map { Optional($0) }))
    // The gateway's messages in between need room as well.
    let room = 100_000 / (pings[59].utf8.count + 40)
    #expect(first == 0 || (60 - first >= room - 1 && 60 - first <= room + 1))
    #expect((first == 0) == (pings.reduce(0) { $0 + $1.utf8.count } < 90_000))
  }
}
