// Azure's own look at the money, hours late: it tells people, and stops nothing. Azure has
// no grain for a whole credit: a year is a calendar year, and begins anew on 1 January. A
// credit that lasts beyond it needs a smaller amount from then on.
targetScope = 'subscription'

@description('What the names begin with.')
param prefix string

@description('The credit: one pot.')
param credit int

@description('What a month may cost.')
param monthly int

@description('The first day; it can never be changed, so whoever deploys reads it first.')
param from string

@description('When the credit expires.')
param to string

@description('Who is told.')
param emails string[]

@description('What calls and writes to people.')
param actionGroupId string

@description('When it tells: parts of the amount in percent.')
var bounds = {
  actual25: { threshold: 25, thresholdType: 'Actual' }
  actual50: { threshold: 50, thresholdType: 'Actual' }
  actual80: { threshold: 80, thresholdType: 'Actual' }
  forecast100: { threshold: 100, thresholdType: 'Forecasted' }
}

@description('The same for both budgets.')
var notifications = mapValues(bounds, bound => {
  enabled: true
  operator: 'GreaterThan'
  threshold: bound.threshold
  thresholdType: bound.thresholdType
  contactEmails: emails
  contactGroups: [
    actionGroupId
  ]
})

resource pot 'Microsoft.Consumption/budgets@2026-06-01' = {
  name: '${prefix}-credit'
  properties: {
    category: 'Cost'
    amount: credit
    timeGrain: 'Annually'
    timePeriod: {
      startDate: '${from}T00:00:00Z'
      endDate: '${to}T00:00:00Z'
    }
    notifications: notifications
  }
}

resource each 'Microsoft.Consumption/budgets@2026-06-01' = {
  name: '${prefix}-monthly'
  properties: {
    category: 'Cost'
    amount: monthly
    timeGrain: 'Monthly'
    timePeriod: {
      startDate: '${from}T00:00:00Z'
      endDate: '${to}T00:00:00Z'
    }
    notifications: notifications
  }
}

@description('The budget that the switch compares its own figure with.')
output monthly string = each.name
