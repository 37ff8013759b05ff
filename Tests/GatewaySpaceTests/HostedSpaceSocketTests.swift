import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySpace
import TestSupport
import Testing

struct HostedSpaceSocketTests {
  @Test
  func `clients of a hosted space answer over real sockets while its time is moved, and are closed when it ends`()
    async throws
  {
    let (settings, issuer) = try PlainHouse.settings()
    try await TestPlace.runHostedOverSockets(settings) { world, hosted in
      let gate = PlainHouse.upgrade(with: PlainHouse.token(issuer, life: .seconds(3_600), from: world.wallTime))
      let ann = await world.dial(ClientUpgrade(gate))
      #expect(await ann.hears("connected"))
      let moving = Task.immediate(executorPreference: world.loop) {
        await hosted.ask { space in try? await space.advance(by: .seconds(4_000), patience: .seconds(20)) }
      }
      #expect(await ann.hears("refresh_required"))
      let now = await hosted.ask { $0.loop.wallTime }
      #expect((3_590...3_660).contains((now - world.wallTime).inSeconds))
      ann.say(#"{"type":"refresh","token":"\#(PlainHouse.token(issuer, life: .seconds(3_600), from: now).token)"}"#)
      let advance = try #require(await moving.value)
      #expect(advance.isAnswered && advance.moved == .seconds(4_000))
      #expect(await ann.hears("refreshed"))
      let answer = try await world.fetch("POST", "/v1/tokens", body: #"{"user_id":"bob","life_s":600}"#)
      #expect(answer.status == 200)
      await hosted.ask { await $0.end() }
      #expect(await ann.ends() && ann.end?.code == 1001)
      let (refused, gone) = try await (world.fetch("POST", "/v1/tokens", body: "{}"), world.dial(ClientUpgrade(gate)))
      #expect(refused.status == 503 && !gone.isOpen)
    }
  }
}
