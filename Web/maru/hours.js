/** Whether it is a do-not-disturb hour, by the clock of its zone. */
export function isQuiet(hours, now = new Date()) {
    if (!hours) return false;
    const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: hours.zone }).format(now);
    return hours.from < hours.to ? hours.from <= time && time < hours.to : hours.from <= time || time < hours.to;
}
