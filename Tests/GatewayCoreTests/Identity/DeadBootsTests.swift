import GatewayCore
import Testing

struct DeadBootsTests {
  private static let life = NodeBoot(node: 3, boot: 5)

  @Test
  func `the earlier boots of a node are dead, and no boot of another node is`() {
    let dead = DeadBoots(before: [Self.life, NodeBoot(node: 4, boot: 0)])
    #expect(dead.contains(NodeBoot(node: 3, boot: 4)) && dead.contains(NodeBoot(node: 3, boot: 0)))
    for life in [Self.life, Self.life.next, NodeBoot(node: 2, boot: 4), NodeBoot(node: 4, boot: 0)] {
      #expect(!dead.contains(life))
    }
    #expect(dead.contains(NodeBoot(node: 4, boot: NodeBoot.boots - 1)), "numbers begin again after the last")
    #expect(!dead.contains(nil as ConnectionID?) && !dead.isEverybody)
  }

  @Test
  func `the filter for everybody matches every boot, and sessions without a connection`() {
    for raw in [0, 1, .max] as [UInt64] { #expect(DeadBoots.everybody.contains(ConnectionID(rawValue: raw))) }
    #expect(DeadBoots.everybody.contains(nil as ConnectionID?) && DeadBoots.everybody.isEverybody)
    #expect(DeadBoots(before: [Self.life], isEverybody: true).contains(nil as ConnectionID?))
  }

  @Test
  func `two ends of one node do not trap`() {
    let dead = DeadBoots(before: [Self.life, Self.life.next])
    #expect(!dead.contains(Self.life) && dead.contains(NodeBoot(node: 3, boot: 4)))
  }
}
