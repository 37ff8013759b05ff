internal import GatewayCore
internal import GatewayKit

/// A sender of scheduled messages. It sleeps until the first one in the store is due, so it also sends those from
/// before a restart. If several processes could send one, the store lets one of them.
actor SendbirdScheduler {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The number of messages that are read in one step.
  private static let pageSize = 100

  let schedule: SendbirdSchedule
  private let channels: SendbirdChannels
  private let events: SendbirdChannelEvents
  private let services: any GatewayServices
  private let executor: any (SerialExecutor & TaskExecutor)
  private let timer: DueTimer

  /// Creates a scheduler.
  ///
  /// - Parameter executor: An executor from which `GatewayServices.sleep(for:as:)` may be called: a loop of the
  ///   gateway.
  init(
    _ schedule: SendbirdSchedule, on executor: any (SerialExecutor & TaskExecutor), services: any GatewayServices,
    directory: SendbirdDirectory, channels: SendbirdChannels
  ) {
    self.schedule = schedule
    self.executor = executor
    self.services = services
    self.channels = channels
    timer = DueTimer("messages that are to be sent later", on: executor, services: services)
    events = SendbirdChannelEvents(directory: directory, channels: channels)
  }

  /// Sends what is due, and schedules the next look. Tries again if the store is unavailable.
  func look() async {
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
      await look(at: now + DueTimer.retryDelay)
    }
  }

  /// Schedules a look for that time, and returns at once.
  func look(at time: WallTime) async {
    await timer.set(for: time) { await self.look() }
  }

  /// Sends one now if it is still pending: as its sender, with this time, and exactly once. Returns nil if it is not
  /// pending.
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
            // It was sent or changed in the meantime, so it is read again.
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
