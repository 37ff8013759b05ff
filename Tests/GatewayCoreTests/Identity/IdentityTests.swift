import GatewayCore
import Testing

struct IdentityTests {
  @Test(arguments: ["default:standup", "a:b", "live_stream:2027-01-15", "x:!room"])
  func `a call is named by a type and an id`(cid: String) throws {
    let call = try #require(CallID(cid: cid))
    #expect("\(call.type):\(call.id)" == cid)
    #expect(call.description == cid)
  }

  @Test(arguments: ["", ":", "a", "a:", ":b", "a:b:c", "a b:c", "a:ä", "a:b/c", "a:b\n", "a:b\0", "ａ:b"])
  func `a text other than type:id names no call`(cid: String) {
    #expect(CallID(cid: cid) == nil)
  }

  @Test
  func `a call's name is 128 bytes at most`() {
    #expect(CallID(cid: "default:" + String(repeating: "x", count: 120)) != nil)
    #expect(CallID(cid: "default:" + String(repeating: "x", count: 121)) == nil)
  }

  @Test
  func `a connection's name has its loop and its number, and reads back`() throws {
    for (loop, serial) in [(0, 1), (7, 123_456), (255, (UInt64(1) << 36) - 1)] as [(Int, UInt64)] {
      let id = ConnectionID(loop: loop, serial: serial)
      #expect(id.loop == loop && id.serial == serial && id.life == .first)
      #expect(id.description == "conn_\(loop)_\(serial)")
      #expect(ConnectionID(id.description) == id)
      #expect(id.rawValue == UInt64(loop) << 52 | serial, "the number it had before there were nodes")
    }
  }

  @Test
  func `every bit of a connection's name is read back from its text`() {
    #expect(MemoryLayout<ConnectionID>.size == 8)
    for bit in 0..<64 {
      for raw in [1 << UInt64(bit), ~(1 << UInt64(bit))] as [UInt64] {
        let id = ConnectionID(rawValue: raw)
        let same = ConnectionID(id.life, loop: id.loop, count: id.serial & (1 << 36 - 1))
        #expect(same == id && ConnectionID(id.description) == id)
      }
    }
  }

  @Test
  func `a connection's text has node times 256 plus loop, and the boot in front of its number`() {
    let id = ConnectionID(NodeBoot(node: 3, boot: 2), loop: 5, count: 7)
    #expect(id.node == 3 && id.loop == 5 && id.boot == 2)
    #expect(id.description == "conn_773_\(2 << 36 | 7)")
  }

  @Test
  func `connections are listed by node, loop, boot and number`() {
    let lives = [(0, 0), (0, 1), (1, 0), (15, 3), (16, 0), (63, 16_383)].map { NodeBoot(node: $0, boot: $1) }
    let ids = lives.flatMap { life in [1, 2].map { ConnectionID(life, loop: 0, count: $0) } }
    #expect(ids.reversed().sorted() == ids)
    #expect(ids.sorted { $0.rawValue < $1.rawValue } != ids, "the numbers themselves have another order")
    let next = NodeBoot(node: 1, boot: 0)
    #expect(ConnectionID(.first, loop: 255, count: 9) < ConnectionID(next, loop: 0, count: 1))
  }

  @Test
  func `a boot is before the next boots of its node, even if their numbers start again`() {
    let last = NodeBoot(node: 2, boot: NodeBoot.boots - 1)
    #expect(last.next == NodeBoot(node: 2, boot: 0) && last.isBefore(last.next) && !last.next.isBefore(last))
    #expect(!last.isBefore(last) && !last.isBefore(NodeBoot(node: 3, boot: 0)))
  }

  @Test(arguments: [
    "", "conn", "conn_1", "conn_1_", "conn__1", "conn_1_2_3", "con_1_2", "conn_-1_2", "conn_16384_1", "conn_1_-2",
    "conn_0_1125899906842624", "conn_a_1", "conn_1_99999999999999999999999", "conn_99999999999999999999_1",
    "conn_+1_2", "conn_1_+2", "conn_01_2", "conn_1_02", "conn_00_1", "conn_1_ 2", "conn_1_2 ", "conn_1_2\0", "CONN_1_2",
    "conn_１_2", "conn_1_٢", "conn_1_2\u{301}", "conn_0x1_2", "conn_1e1_2", "conn_1_2_", "_conn_1_2",
    "conn_18446744073709551617_1", "conn_0_18446744073709551617",
  ])
  func `a text other than conn_loop_number names no connection`(text: String) {
    #expect(ConnectionID(text) == nil)
  }

  @Test
  func `the anonymous user is the one that call tokens name`() {
    #expect(UserID.anonymous.description == "!anon")
    #expect(UserKind.allCases.map(\.rawValue) == ["regular", "guest", "anonymous"])
  }
}
