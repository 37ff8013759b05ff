package import GatewayCore
internal import GatewayKit

/// The sender of messages whose time has come, at noon for instance. It sleeps until the first of those in the store is
/// due, so those of an earlier life of the gateway are sent too, and of several who could the store lets one send.
package actor SendbirdScheduler {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// How many are looked at in one step.
  private static let pageSize = 100

  let schedule: SendbirdSchedule
  private let channels: SendbirdChannels
  private let events: SendbirdChannelEvents
  private let services: any GatewayServices
  private let executor: any (SerialExecutor & TaskExecutor)
  private let alarm: SendbirdAlarm

  /// - Parameter executor: One that `GatewayServices.sleep(for:as:)` may be called from: a loop of the gateway.
  package init(
    _ schedule: SendbirdSchedule, on executor: any (SerialExecutor & TaskExecutor), services: any GatewayServices,
    directory: SendbirdDirectory, channels: SendbirdChannels
  ) {
    self.schedule = schedule
    self.executor = executor
    self.services = services
    self.channels = channels
    alarm = SendbirdAlarm("messages that are to be sent later", on: executor, services: services)
    events = SendbirdChannelEvents(directory: directory, channels: channels)
  }

  /// Sends what is due, and sees to the rest. Where the store is away it is asked again.
  package func look() async {
    let now = services.wallTime
    do throws(GatewayError) {
      while true {
        let first = try await schedule.first(Self.pageSize, at: now)
        for scheduled in first where scheduled.at <= now { _ = try await send(scheduled.id) }
        guard let last = first.last, last.at <= now else {
          if let next = first.first(where: { $0.at > now }) { await look(at: next.at) }
          return
        }
      }
    } catch {
      await look(at: now + SendbirdAlarm.patience)
    }
  }

  /// Has the schedule looked at then, and returns at once.
  package func look(at time: WallTime) async {
    await alarm.set(for: time) { await self.look() }
  }

  /// Sends one now, if it is pending still: as its sender would, at this time, and once, whatever happens in between. Nil if
  /// it is not pending.
  nonisolated(nonsending) func send(_ id: Int64) async throws(GatewayError) -> SendbirdScheduled? {
    let now = services.wallTime
    while let scheduled = try await schedule.scheduled(id, at: now), scheduled.status == .pending {
      var message = scheduled.message
      message.createdAt = now
      var isCurrent = false
      do throws(SendbirdChannelRefusal) {
        _ = try await channels.send(
          message, needsPresence: true, at: now,
          telling: { await events.sent(message.kind == .file ? "FILE" : "MESG", $0, except: nil, on: services) },
          also: { (transaction) throws(StoreOr<SendbirdChannelRefusal>) in
            isCurrent = try await schedule.noteSent(scheduled, in: &transaction, at: now)
            // Somebody else has sent it, or changed it: it is looked at once more.
            if !isCurrent { throw .failure(.messageNotFound) }
          })
        var sent = scheduled
        sent.status = .sent
        return sent
      } catch {
        if error == .storeUnavailable { throw .storeUnavailable }
        guard isCurrent else { continue }
        return try await schedule.changePending(id, at: now) { $0.status = .failed }
      }
    }
    return nil
  }
}
